//! Token counts equal those of the tokenizers library, recorded by
//! `scripts/golden/make_wordpiece.py`, and, with feature `candle`, those of the crate itself over
//! random texts.

use weir_models::{CountTokens, WordPieceCounter};

#[test]
fn counts_equal_the_recorded_ones() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fixtures/golden/wordpiece.json"
    );
    let items: Vec<(String, usize)> =
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert!(items.len() > 150, "{} items in {file}", items.len());
    for (text, expected) in items {
        assert_eq!(
            WordPieceCounter::shared().count(&text),
            expected,
            "{text:?}"
        );
    }
}

#[cfg(feature = "candle")]
mod against_the_crate {
    use std::sync::OnceLock;

    use proptest::prelude::*;
    use tokenizers::models::wordpiece::WordPiece;
    use tokenizers::normalizers::BertNormalizer;
    use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
    use tokenizers::{AddedToken, Tokenizer};
    use weir_models::{CountTokens, WordPieceCounter};

    /// The reference, built as the model's `tokenizer.json` specifies.
    fn reference() -> &'static Tokenizer {
        static REFERENCE: OnceLock<Tokenizer> = OnceLock::new();
        REFERENCE.get_or_init(|| {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/data/vocab.txt");
            let model = WordPiece::from_file(file)
                .unk_token("[UNK]".to_owned())
                .build()
                .unwrap();
            let mut tokenizer = Tokenizer::new(model);
            tokenizer
                .with_normalizer(Some(BertNormalizer::new(true, true, None, true)))
                .unwrap();
            tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
            let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
            let special = special.map(|token| AddedToken::from(token, true));
            tokenizer.add_special_tokens(special).unwrap();
            tokenizer
        })
    }

    fn assert_same(text: &str) {
        let expected = reference().encode_fast(text, false).unwrap().len();
        assert_eq!(WordPieceCounter::shared().count(text), expected, "{text:?}");
    }

    #[test]
    fn every_character_counts_the_same_alone_and_inside_a_word() {
        // In runs, since a call costs more than a character; spaces separate them. Planes 4 to 13
        // are empty, 15 and 16 uniform.
        let codes = (0..0x3_4000)
            .chain(0xe_0000..0xe_0200)
            .chain(0xf_fff0..0x10_0010);
        let all: Vec<char> = codes.filter_map(char::from_u32).collect();
        for run in all.chunks(64) {
            let text: String = run
                .iter()
                .flat_map(|c| [' ', *c, ' ', 'a', *c, 'b'])
                .collect();
            let expected = reference().encode_fast(text.as_str(), false).unwrap().len();
            if WordPieceCounter::shared().count(&text) != expected {
                for c in run {
                    assert_same(&format!(" {c} a{c}b"));
                }
                panic!("a run differs and none of its characters does: {text:?}");
            }
        }
    }

    /// Realistic text, and random text.
    fn texts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => "[a-zA-Z]{1,12}",
            2 => "[ \t\n.,!?'-]{1,3}",
            1 => r"\PC{1,8}",
            1 => any::<String>(),
            1 => "\\[(CLS|SEP|PAD|UNK|MASK|cls|unused1)\\]",
            1 => "[\u{300}-\u{36f}\u{591}-\u{5bd}\u{302a}-\u{302f}\u{1d165}-\u{1d169}]{1,4}",
            1 => "[\u{ac00}-\u{d7a3}\u{1100}-\u{11ff}\u{3040}-\u{30ff}\u{4e00}-\u{9fff}]{1,6}",
            1 => "[a-zé]{90,110}",
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 2_000,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn any_text_counts_the_same(text in texts()) {
            assert_same(&text);
        }
    }
}
