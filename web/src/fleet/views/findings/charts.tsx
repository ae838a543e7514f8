// The pictures of a finding: its share with the range of its gain, and its trials on one
// axis.

import { percent } from "../../../format/number";
import { axis } from "../../parts/axis";
import { effect, mainShare, type Finding, type Trial } from "../../parts/finding";
import { percentRange, ratio, ratioRange } from "../../parts/findingwords";

export function ShareBar({ finding }: { finding: Finding }) {
  const share = clamp(mainShare(finding));
  const gain = finding.gain?.no_estimate ? undefined : finding.gain;
  let says = `${percent(mainShare(finding))} of all samples`;
  if (gain) says += `, of which ${percentRange(gain.low, gain.high)} may be saved`;
  const from = gain ? clamp(gain.low) : 0;
  return (
    <svg class="share" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label={says}>
      <title>{says}</title>
      <rect class="all" width="100" height="4" />
      <rect class="part" width={share} height="4" />
      {gain && (
        <rect
          class="gain"
          x={from}
          y="1"
          width={Math.max(0.6, clamp(gain.high) - from)}
          height="2"
        />
      )}
    </svg>
  );
}

const clamp = (share: number): number => 100 * Math.min(1, Math.max(0, share));

// The plot of a trial, in the units of its view box.
const WIDTH = 300;
const EDGE = 4;
const ROW = 18;
const TICKS = 12;

const SYMBOL = { faster: "▲", slower: "▼", same: "＝" } as const;
const SAID = { faster: "faster", slower: "slower", same: "no difference" } as const;

export interface Made extends Trial {
  readonly when?: string; // as people read it
}

// Trials has each as a dot on its 95% interval; all share the axis.
export function Trials({ trials }: { trials: readonly Made[] }) {
  const scale = axis([1, ...trials.flatMap((t) => [t.speed_up.low, t.speed_up.high])]);
  const x = (v: number): number => EDGE + (WIDTH - 2 * EDGE) * scale.at(v);
  return (
    <table class="trials">
      <thead>
        <tr>
          <th scope="col">variant</th>
          <th scope="col">speed-up</th>
          <th scope="col">95% interval</th>
          <th scope="col" class="plot">
            slower <span>·</span> faster
          </th>
          <th scope="col">runs</th>
          <th scope="col">when</th>
        </tr>
      </thead>
      <tbody>
        {trials.map((t, i) => {
          const { estimate, low, high } = t.speed_up;
          const is = effect(t.speed_up);
          const last = i === trials.length - 1;
          return (
            <tr key={i}>
              <th scope="row" title={t.command.join(" ")}>
                {t.variant}
              </th>
              <td>
                <span class={`verdict-sign ${is}`} title={SAID[is]} aria-hidden="true">
                  {SYMBOL[is]}
                </span>{" "}
                {ratio(estimate)}
              </td>
              <td>{ratioRange(low, high)}</td>
              <td class="plot">
                <svg
                  class={is}
                  viewBox={`0 0 ${WIDTH} ${last ? ROW + TICKS : ROW}`}
                  role="img"
                  aria-label={`${ratio(estimate)}, interval ${ratioRange(low, high)}: ${SAID[is]}`}
                >
                  <line class="even" x1={x(1)} x2={x(1)} y1="0" y2={ROW} />
                  <line class="interval" x1={x(low)} x2={x(high)} y1={ROW / 2} y2={ROW / 2} />
                  <circle cx={x(estimate)} cy={ROW / 2} r="4" />
                  {last &&
                    scale.ticks.map((v) => (
                      <text key={v} x={x(v)} y={ROW + 10}>
                        {v}×
                      </text>
                    ))}
                </svg>
              </td>
              <td>{t.runs}</td>
              <td>{t.when ?? ""}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
