// The theme that was chosen, before anything is painted. A plain script: a module would run too late.
try {
  const chosen = localStorage.getItem("weir_theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // a browser that keeps nothing follows the system
}
