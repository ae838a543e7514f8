// A view's side of the search box: what it found, and next and previous.

import { useCallback, useEffect } from "preact/hooks";
import { found, onStep, type Found } from "../state/search";

// useFound shows what the view found; null says nothing.
export function useFound(mine: Found | null): void {
  const { text, at, of } = mine ?? { text: "" };
  useEffect(() => {
    found.value = mine;
  }, [text, at, of]);
  useEffect(
    () => () => {
      found.value = null;
    },
    [],
  );
}

// useStep has next and previous call step, which must stay the same function.
export function useStep(step: (by: 1 | -1) => void): void {
  useEffect(() => onStep(step), [step]);
}

// useFocusStep has next and previous put the focus on one element after the other.
export function useFocusStep(selector: string): void {
  useStep(
    useCallback(
      (by) => {
        const list = [...document.querySelectorAll<HTMLElement | SVGElement>(selector)];
        const at = list.findIndex((e) => e === document.activeElement);
        const next =
          at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length;
        list[next]?.focus();
        list[next]?.scrollIntoView({ block: "nearest" });
      },
      [selector],
    ),
  );
}
