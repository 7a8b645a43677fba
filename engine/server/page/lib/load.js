// Data of a view: loading, there, or failed with a way to try again.

import { useCallback, useEffect, useRef, useState } from "./html.js";

/// Loads when `deps` change. `again()` loads anew and keeps what is shown meanwhile.
export function useLoad(load, deps) {
  const [state, setState] = useState({ value: undefined, error: undefined, loading: true });
  const current = useRef(0);
  // what is loaded again shows the value or the error before until there is another
  const run = useCallback(async (keep) => {
    current.current += 1;
    const mine = current.current;
    setState((was) => ({ value: keep ? was.value : undefined, error: keep ? was.error : undefined, loading: true }));
    try {
      const value = await load();
      if (mine === current.current) setState({ value, error: undefined, loading: false });
    } catch (error) {
      if (mine === current.current) setState((was) => ({ value: keep ? was.value : undefined, error, loading: false }));
    }
  }, deps);
  useEffect(() => {
    run(false);
    return () => { current.current += 1; };
  }, [run]);
  return { ...state, again: useCallback(() => run(true), [run]) };
}

/// A value that other parts of the page follow.
export class Store {
  #value;

  #followers = new Set();

  constructor(value) { this.#value = value; }

  get value() { return this.#value; }

  set(value) {
    if (value === this.#value) return;
    this.#value = value;
    for (const follower of [...this.#followers]) follower(value);
  }

  follow(follower) {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }
}

export function useStore(store) {
  const [value, setValue] = useState(store.value);
  useEffect(() => {
    setValue(store.value);
    return store.follow(setValue);
  }, [store]);
  return value;
}
