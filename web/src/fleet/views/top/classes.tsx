// What the table is narrowed by beside the filters of the page, with what each class took.

import { percent } from "../../../format/number";
import { Swatch } from "../../parts/functionname";
import { shareOf, type Basis } from "../../parts/measure";
import { originTitle, type Origin } from "../../parts/origin";
import { Popover } from "../../parts/popover";

interface Props {
  readonly title: string;
  readonly classes: readonly { readonly name: string; readonly self: number }[];
  readonly basis: Basis;
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
  readonly swatches?: boolean;
}

export function Classes({ title, classes, basis, chosen, onChoose, swatches }: Props) {
  const say = (name: string): string => (swatches === true ? originTitle(name) : name);
  const all = [
    ...chosen.filter((c) => !classes.some((k) => k.name === c)).map((name) => ({ name, self: 0 })),
    ...classes,
  ];
  const label = chosen.length === 0 ? title : chosen.map(say).join(", ");
  return (
    <Popover
      label={<span class="clip">{label}</span>}
      title={title}
      class={chosen.length > 0 ? "set" : ""}
    >
      {() => (
        <>
          <ul class="values">
            {all.map(({ name, self }) => (
              <li key={name}>
                <label>
                  <input
                    type="checkbox"
                    checked={chosen.includes(name)}
                    onChange={(e) => {
                      const rest = chosen.filter((c) => c !== name);
                      onChoose(e.currentTarget.checked ? [...rest, name] : rest);
                    }}
                  />
                  {swatches === true && <Swatch origin={name as Origin} />}
                  <span class="clip">{say(name)}</span>
                  <small>{percent(shareOf(self, basis))}</small>
                </label>
              </li>
            ))}
          </ul>
          {chosen.length > 0 && (
            <button
              type="button"
              onClick={() => {
                onChoose([]);
              }}
            >
              All
            </button>
          )}
        </>
      )}
    </Popover>
  );
}
