//! Opens servers that write: checks that one replies, and chooses the key it gets.

use crate::error::LoadingError;
use crate::note::Note;
use crate::selection::EndpointChoice;
use std::net::IpAddr;
use std::time::Duration;
use weir_models::Generate;
use weir_models::endpoint::{EndpointGenerator, EndpointOptions};

impl EndpointChoice {
    /// Opens the server and checks that it replies. Afterwards all attempts at a reply together
    /// take at most `limit`.
    ///
    /// # Errors
    /// [`LoadingError::Endpoint`]; it does not show the address, which may contain a password.
    pub fn open(
        &self,
        limit: Duration,
        tell: &mut dyn FnMut(Note),
    ) -> Result<Box<dyn Generate>, LoadingError> {
        let mut options = EndpointOptions::new(&self.url, &self.model);
        let withheld = self.keeps_key();
        let variable = &self.key_variable;
        if withheld && is_set(variable) {
            let variable = variable.clone();
            tell(Note::KeyWithheld { variable });
        }
        options.key_variable = match withheld {
            true => String::new(),
            false => variable.clone(),
        };
        options.total_timeout = limit;
        Ok(Box::new(EndpointGenerator::open(options)?))
    }

    /// Whether the key is withheld: nothing says to send it, and others could read it.
    fn keeps_key(&self) -> bool {
        !self.always_send_key && !is_safe_for_keys(&self.url, PROXIES.iter().any(|it| is_set(it)))
    }
}

/// The variables that name a proxy, which reads what is not encrypted.
const PROXIES: [&str; 6] = [
    "all_proxy", "ALL_PROXY", "https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY",
];

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// Whether an address is encrypted, on this machine, or in its own network without a proxy.
fn is_safe_for_keys(url: &str, is_proxied: bool) -> bool {
    let url = url.trim().to_ascii_lowercase();
    if url.starts_with("https://") {
        return true;
    }
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('@') {
        // what stands before it is no host
        return false;
    }
    let host = match host.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    match host.parse::<IpAddr>() {
        Ok(ip) if ip.is_loopback() => true,
        Err(_) if host == "localhost" => true,
        _ if is_proxied => false,
        Ok(IpAddr::V4(ip)) => ip.is_private() || ip.is_link_local(),
        Ok(IpAddr::V6(ip)) => ip.is_unique_local() || ip.is_unicast_link_local(),
        // an address in another notation: 134744072 is 8.8.8.8
        Err(_)
            if host
                .rsplit('.')
                .next()
                .is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit())) =>
        {
            false
        }
        Err(_) => {
            let own = ["localhost", "local", "lan", "internal", "home.arpa"];
            let of = |own: &str| host == own || host.ends_with(&format!(".{own}"));
            !host.is_empty() && (!host.contains('.') || own.iter().any(|own| of(own)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_unencrypted_only_to_this_machine_and_its_network() {
        for url in [
            "https://api.example.com/v1",
            "HTTPS://h",
            "http://localhost:11434/v1",
            "http://127.0.0.1:8000",
            "http://[::1]:8000/v1",
            "http://192.168.1.7:8000/v1",
            "http://10.0.0.1",
            "http://[fd00::1]:80/v1",
            "http://gpubox:8000",
            "http://gpubox.lan:8000/v1",
        ] {
            assert!(is_safe_for_keys(url, false), "{url}");
            let is_here = [
                "https", "HTTPS", "http://localhost", "http://127", "http://[::1]",
            ];
            let is_here = is_here.iter().any(|it| url.starts_with(it));
            assert_eq!(is_safe_for_keys(url, true), is_here, "{url} by a proxy");
        }
        for url in [
            "http://api.example.com/v1",
            "http://8.8.8.8:8000",
            "http://[2001:db8::1]:80",
            "http://localhost.example.com",
            "http://example.com?at=.localhost",
            "http://134744072",
            "http://0x08080808/v1",
            "http://8.8.2056",
            "http://localhost:80@example.com",
            "http://",
            "",
        ] {
            assert!(!is_safe_for_keys(url, false), "{url}");
        }
    }
}
