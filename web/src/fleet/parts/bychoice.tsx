// What samples are told apart by, as a list to choose from: the dimensions that all have and
// the labels that the project knows.

import { useAnswer } from "../api/answer";
import { DIMENSIONS } from "../state/address";
import { TITLES } from "./dimensions";

interface Props {
  readonly label: string;
  readonly by: string; // "" for none
  readonly none: string; // what is said of that
  readonly without?: readonly string[]; // that are chosen elsewhere
  choose: (by: string) => void;
}

export function ByChoice({ label, by, none, without = [], choose }: Props) {
  const asked = useAnswer("/api/v1/labels", {});
  const keys = (asked.value?.keys ?? []).filter((k) => k.values > 0).map((k) => k.key);
  if (by !== "" && !keys.includes(by)) keys.push(by);
  const list = keys.filter((k) => !without.includes(k));
  if (list.length === 0) return null;
  return (
    <select
      aria-label={label}
      title={label}
      value={by}
      onChange={(e) => {
        choose(e.currentTarget.value);
      }}
    >
      <option value="">{none}</option>
      {list.map((k) => (
        <option key={k} value={k}>
          {titleOf(k)}
        </option>
      ))}
    </select>
  );
}

// titleOf is what people call a dimension; any other label is called by its key.
export function titleOf(key: string): string {
  const known = DIMENSIONS.find((d) => d === key);
  return known ? TITLES[known] : key;
}
