// The one place that names the vendored library.
export {
  h, html, render, Component, createContext, useCallback, useContext, useEffect, useLayoutEffect,
  useMemo, useReducer, useRef, useState,
} from "../vendor/preact.js";
