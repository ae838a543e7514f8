// The page of a finding's rule: what it looks for, and what else it has to say. It is
// asked for when a reader unfolds it.

import { useState } from "preact/hooks";
import { useAnswer } from "../../api/answer";
import { Answered } from "../../parts/answered";

export function RulePage({ rule }: { rule: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details
      class="rule"
      onToggle={(e) => {
        setOpen(e.currentTarget.open);
      }}
    >
      <summary>
        Rule <code>{rule}</code>
      </summary>
      {open && <Text rule={rule} />}
    </details>
  );
}

function Text({ rule }: { rule: string }) {
  const asked = useAnswer("/api/v1/rules/{id}", { id: rule });
  return <Answered asked={asked}>{(answer) => <pre tabIndex={0}>{answer.page}</pre>}</Answered>;
}
