// One finding, unfolded: asked for with its whole history and its trials.

import { percent, percentError } from "../../../format/number";
import { useAnswer } from "../../api/answer";
import { session } from "../../api/session";
import { Answered } from "../../parts/answered";
import { Command } from "../../parts/command";
import { kept, mainShare, type Finding, type Kept, type Trial } from "../../parts/finding";
import {
  functionNames,
  percentRange,
  ratio,
  ratioRange,
  speedUp,
  where,
} from "../../parts/findingwords";
import { coresText } from "../../parts/measure";
import { billText, usePrices } from "../../parts/prices";
import { ago, day } from "../../parts/time";
import { moment } from "../../state/moment";
import { address, adjust, go, ownChange } from "../../state/navigation";
import { ShareBar, Trials, type Made } from "./charts";
import { blanks, fill } from "./command";
import { Change, Evidence, Excerpt, Worlds } from "../../parts/findingdetails";
import { History } from "./history";
import { RulePage } from "./rulepage";

interface Props {
  id: string;
  service: string;
  listed: Kept; // as the list has it: shown until the answer is there
}

export function Card({ id, service, listed }: Props) {
  const asked = useAnswer("/api/v1/findings/{id}", { id, service });
  const trials = useAnswer("/api/v1/trials", { finding: id });
  const whole = asked.value && kept(asked.value)[0];
  const one = whole ?? listed;
  return (
    <div class="unfolded" aria-busy={asked.busy}>
      {asked.error && <Answered asked={asked}>{() => null}</Answered>}
      <Body kept={one} made={withTimes(one.finding.trials ?? [], trials.value?.trials ?? [])} />
    </div>
  );
}

interface Sent {
  readonly time: string;
  readonly trials: readonly Trial[];
}

// withTimes joins the trials of a finding with when they were sent; both are oldest first.
function withTimes(trials: readonly Trial[], sent: readonly Sent[]): readonly Made[] {
  const times = sent.flatMap((s) => s.trials.map(() => s.time));
  return trials.map((t, i) =>
    times.length === trials.length ? { ...t, when: day(Date.parse(times[i])) } : t,
  );
}

function Body({ kept: k, made }: { kept: Kept; made: readonly Made[] }) {
  const f = k.finding;
  const prices = usePrices();
  return (
    <>
      <Numbers finding={f} />
      <ShareBar finding={f} />
      {f.gain && (
        <p class="basis">
          <b>{f.gain.no_estimate ? "No estimate:" : "How this was estimated:"}</b> {f.gain.basis}
        </p>
      )}
      <Where kept={k} />
      <Excerpt finding={f} />
      {(f.worlds ?? []).length > 0 && <Worlds worlds={f.worlds ?? []} />}
      {f.minor !== undefined && (
        <p class="basis">
          <b>Minor:</b> {f.minor}
        </p>
      )}
      <Evidence finding={f} />
      <Change fix={f.fix} />
      {made.length > 0 && (
        <>
          <h4>Measured</h4>
          <Trials trials={made} />
          {made.map((t, i) => (
            <p key={i} class="verdict">
              <b>{t.variant}:</b> {t.verdict}
            </p>
          ))}
        </>
      )}
      <Next finding={f} measured={made.length > 0} />
      <h4>Over time</h4>
      <p class="seen">
        first seen <b>{day(Date.parse(k.first_seen))}</b> · last seen{" "}
        <b>{day(Date.parse(k.last_seen))}</b> ({ago(Date.parse(k.last_seen), moment.value)})
        {!k.active &&
          (k.silent_since === undefined
            ? " · not found by the last analysis run"
            : ` · ${k.service} has sent nothing since ${day(Date.parse(k.silent_since))}`)}
      </p>
      <History points={k.history} cores={(n) => `${coresText(n)} cores${billText(n, prices)}`} />
      <RulePage rule={f.rule} />
      {(f.links ?? []).length > 0 && (
        <p class="links">
          {(f.links ?? []).map((l) => (
            <a key={l} href={l} rel="noreferrer noopener" target="_blank">
              {l}
            </a>
          ))}
        </p>
      )}
    </>
  );
}

function Numbers({ finding: f }: { finding: Finding }) {
  const best = (f.trials ?? []).reduce<Trial | undefined>(
    (a, t) => (a === undefined || t.speed_up.estimate > a.speed_up.estimate ? t : a),
    undefined,
  );
  const known = f.share.inclusive !== undefined || f.share.exclusive !== undefined;
  return (
    <dl class="numbers">
      {known && (
        <div>
          <dt>
            share of all samples{f.share.inclusive === undefined ? "" : ", with what it calls"}
          </dt>
          <dd>
            {percent(mainShare(f))}{" "}
            {f.share.error !== undefined && <small>{percentError(f.share.error)}</small>}
          </dd>
        </div>
      )}
      {f.gain && !f.gain.no_estimate && (
        <div>
          <dt>may save</dt>
          <dd>
            {f.gain.likely
              ? `${percent(f.gain.likely)} (${percentRange(f.gain.low, f.gain.high)})`
              : percentRange(f.gain.low, f.gain.high)}{" "}
            <small>{ratioRange(speedUp(f.gain.low), speedUp(f.gain.high))}</small>
          </dd>
        </div>
      )}
      {best && (
        <div>
          <dt>measured</dt>
          <dd>
            {ratio(best.speed_up.estimate)} <small>{best.variant}</small>
          </dd>
        </div>
      )}
    </dl>
  );
}

// Where leads to the finding's functions in the other views, narrowed to its service.
function Where({ kept: k }: { kept: Kept }) {
  const at = where(k.finding.place);
  const names = functionNames(k.finding);
  if (at === "" && names.length === 0) return null;
  const query = names.map((n) => `^${n.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`).join("|");
  const filters = { ...address.value.filters, service: [k.service] };
  return (
    <p class="where">
      {at !== "" && <code>{at}</code>}
      {query !== "" && (
        <>
          <button
            type="button"
            onClick={() => {
              go({ view: "flame", filters, query });
            }}
          >
            Show in the flame graph
          </button>
          <button
            type="button"
            onClick={() => {
              go({ view: "top", filters, query });
            }}
          >
            Show in Top
          </button>
        </>
      )}
    </p>
  );
}

// Next is the command to run next, complete but for what only the reader knows.
function Next({ finding: f, measured }: { finding: Finding; measured: boolean }) {
  const { project, own } = address.value;
  const server = { url: location.origin, project, token: session.value.closed };
  const next = f.next ?? "";
  const unknown = blanks(next);
  const nameOf = (i: number): string => `findings.blank${i}`;
  const given = new Map(unknown.map((b, i) => [b.text, own[nameOf(i)] ?? ""]));
  const label = !next.startsWith("whyhot try") ? "Look" : measured ? "Measure again" : "Prove it";
  return (
    <>
      {unknown.map((b, i) => (
        <label key={b.text} class="blank">
          <span>{b.label}</span>
          <input
            type="text"
            spellcheck={false}
            autocomplete="off"
            placeholder={b.text.slice(1, -1)}
            value={own[nameOf(i)] ?? ""}
            onInput={(e) => {
              adjust(ownChange({ [nameOf(i)]: e.currentTarget.value }));
            }}
          />
        </label>
      ))}
      {next !== "" && (
        <div class="next">
          <span>{label}</span>
          <Command text={fill(next, server, given)} />
        </div>
      )}
      {(f.see ?? []).map((s) => (
        <div key={s} class="next">
          <span>Look</span>
          <Command text={fill(s, server, given)} />
        </div>
      ))}
    </>
  );
}
