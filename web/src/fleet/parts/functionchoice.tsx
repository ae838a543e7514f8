// A view that is about one function, before one was chosen: the hottest ones.

import { useAnswer } from "../api/answer";
import { functionSelection } from "../state/address";
import { address } from "../state/navigation";
import { search } from "../state/search";
import { Answered } from "./answered";
import { FunctionName } from "./functionname";
import { Share } from "./measure";

const MANY = 15;

export function FunctionChoice({ title }: { title: string }) {
  const { pattern } = search.value;
  const asked = useAnswer("/api/v1/top", {
    ...functionSelection(address.value),
    sort: "total",
    limit: MANY,
    ...(pattern === "" ? {} : { match: pattern }),
  });
  return (
    <section class="choice">
      <h2>{title}</h2>
      <p class="hint">
        Choose one here, search with <kbd>/</kbd>, or click one in any other view.
      </p>
      <Answered asked={asked} empty={(top) => top.functions === 0}>
        {(top) => (
          <ol>
            {top.rows.map((row) => (
              <li key={row.function.id}>
                <Share weight={row.total} basis={top.basis} error={row.error} />
                <FunctionName fn={row.function} />
              </li>
            ))}
            {top.rows.length === 0 && <li>Nothing matches the search.</li>}
          </ol>
        )}
      </Answered>
    </section>
  );
}
