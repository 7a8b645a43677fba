// How full memory is: one bar, by kind.

import { bytes, number, percent } from "../lib/format.js";
import { html } from "../lib/html.js";
import { tokensByKind } from "../lib/outline.js";
import { words } from "../lib/words.js";

export function Budget({ index, stats, href }) {
  const said = words.memory;
  const kinds = tokensByKind(index, stats);
  const budget = stats.memory.budget_tokens;
  const used = stats.memory.text_tokens;
  const shown = Object.entries(kinds).filter(([, tokens]) => tokens > 0);
  const whole = Math.max(budget, used, 1);
  const { tree } = stats;
  return html`<section class="budget" aria-label=${said.budget}>
    <p class="budget-head"><strong class="figures">${said.tokens(number(used), number(budget))}</strong>
      <span class="muted small">${said.size(number(tree.nodes), bytes(stats.bytes), percent(used / whole))}</span>
      <a class="small" href=${href}>${said.change}</a></p>
    <div class="budget-bar" role="img" aria-label=${`${said.tokens(number(used), number(budget))}: ${shown.map(([kind, tokens]) => `${said.kinds[kind]} ${number(tokens)}`).join(", ")}`}>
      ${shown.map(([kind, tokens]) => html`<div key=${kind} class=${`k-${kind}`} style=${{ width: `${(tokens / whole) * 100}%` }}></div>`)}
    </div>
    <ul class="legend small">${shown.map(([kind, tokens]) => html`<li key=${kind} class=${`k-${kind}`}>${said.kinds[kind]} <span class="figures">${number(tokens)}</span></li>`)}</ul>
  </section>`;
}
