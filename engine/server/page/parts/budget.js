// How full memory is: one bar, by kind.

import { bytes, number, percent } from "../lib/format.js";
import { html } from "../lib/html.js";
import { tokensByKind } from "../lib/outline.js";
import { words } from "../lib/words.js";

export function Budget({ index, stats, free, href }) {
  const said = words.memory;
  const budget = stats.memory.budget_tokens;
  const used = stats.memory.text_tokens;
  // room for new talk is kept: memory is full before all of it is used
  const kinds = { ...tokensByKind(index, stats), kept: Math.max(0, budget - used - free) };
  const shown = Object.entries(kinds).filter(([, tokens]) => tokens > 0);
  const whole = Math.max(budget, used, 1);
  return html`<section class="budget" aria-label=${said.budget}>
    <p class="budget-head"><strong class="figures">${said.full(percent(1 - free / whole))}</strong>
      <a class="small" href=${href}>${said.change}</a></p>
    <div class="budget-bar" role="img" aria-label=${`${said.full(percent(1 - free / whole))}: ${shown.map(([kind, tokens]) => `${said.kinds[kind]} ${percent(tokens / whole)}`).join(", ")}`}>
      ${shown.map(([kind, tokens]) => html`<div key=${kind} class=${`k-${kind}`} style=${{ width: `${(tokens / whole) * 100}%` }}></div>`)}
    </div>
    <ul class="legend small">${shown.map(([kind, tokens]) => html`<li key=${kind} class=${`k-${kind}`}>${said.kinds[kind]} <span class="figures">${percent(tokens / whole)}</span></li>`)}</ul>
    <p class="small muted">${said.size(number(used), number(budget), bytes(stats.bytes))}</p>
  </section>`;
}
