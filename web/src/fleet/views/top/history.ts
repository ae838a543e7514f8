// How the functions in view went over time, asked for when they have been in view for a
// moment: the table does not wait for it.

import { useEffect, useMemo, useState } from "preact/hooks";
import { useAnswer } from "../../api/answer";
import { functionSelection } from "../../state/address";
import { address } from "../../state/navigation";

const SETTLED = 120; // ms
const MOST = 64; // functions of one question

export type History = ReadonlyMap<number, readonly number[]>;

export function useHistory(sort: "self" | "total"): {
  readonly history: History;
  readonly show: (ids: readonly number[]) => void;
} {
  const [wanted, show] = useState<readonly number[]>([]);
  const [settled, setSettled] = useState<readonly number[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => {
      // In order, so that the same rows are the same question.
      setSettled(wanted.slice(0, MOST).sort((a, b) => a - b));
    }, SETTLED);
    return () => {
      clearTimeout(timer);
    };
  }, [wanted]);
  const { value } = useAnswer(
    "/api/v1/history",
    settled.length === 0
      ? null
      : {
          ...functionSelection(address.value),
          exact: undefined,
          sort,
          function: settled.map(String),
        },
  );
  const history = useMemo(
    () => new Map((value?.functions ?? []).map((f) => [f.id, f.weight])),
    [value],
  );
  return { history, show };
}
