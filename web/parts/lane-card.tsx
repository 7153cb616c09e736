import { useMemo } from 'preact/hooks'
import type { Transition } from '../../src/wire/console-wire.ts'
import { type Lane, laneLegend, lanesOf } from '../model/lanes.ts'
import { shortNode } from '../model/node-names.ts'
import { nameOf } from '../model/rows.ts'
import { clockText, spanText } from '../model/words.ts'
import { nodeHref, podHref, queryState } from '../router.ts'
import { Card } from './card.tsx'
import { bound, Choice, Empty, Name } from './controls.tsx'

type LaneTable = 'n' | 'p'

const table = queryState<LaneTable>('lanes', 'n')
const most = 24

export interface LaneCardProps {
  readonly transitions: readonly Transition[]
  readonly from: number
  readonly to: number
  /** The selected instant. */
  readonly at: number
  /** The start of the forecast, if the axis includes one. */
  readonly forecastFrom?: number | undefined
}

/** The states of nodes or pods over time, one lane each, on the axis of the chart above. */
export function LaneCard({ transitions, from, to, at, forecastFrom }: LaneCardProps) {
  const lanes = useMemo(
    () => lanesOf(transitions, table.value, { from, to, most }),
    [transitions, table.value, from, to],
  )
  const place = (ms: number) => ((Math.max(from, Math.min(to, ms)) - from) / Math.max(1, to - from)) * 1000
  return (
    <Card
      label="Lanes"
      title="Stories"
      aside={
        <Choice<LaneTable>
          label="Lanes"
          hideLabel
          {...bound(table)}
          options={[
            { value: 'n', text: 'Nodes' },
            { value: 'p', text: 'Pods' },
          ]}
        />
      }
    >
      {lanes.length === 0 ? (
        <Empty title={`No ${table.value === 'n' ? 'node' : 'pod'} changed in this time`} />
      ) : (
        <div class="body stack">
          <ul class="legend" aria-label="Legend of the stories">
            {laneLegend(lanes).map(([swatch, text]) => (
              <li key={swatch}>
                <svg class="lanes-swatch" viewBox="0 0 11 11" aria-hidden="true">
                  <rect class={`lane ${swatch}`} width="11" height="11" rx="2" />
                </svg>
                {text}
              </li>
            ))}
          </ul>
          <ul class="lanes">
            {lanes.map((lane) => (
              <li key={lane.key}>
                <a href={table.value === 'n' ? nodeHref(lane.key) : podHref(lane.key)} title={lane.key}>
                  <Name text={table.value === 'n' ? shortNode(lane.key) : nameOf(lane.key)} />
                </a>
                <svg viewBox="0 0 1000 14" preserveAspectRatio="none" role="img" aria-label={storyOf(lane)}>
                  {lane.segments.map((segment) => (
                    <rect
                      key={segment.from}
                      class={`lane ${segment.swatch}`}
                      x={place(segment.from)}
                      y={2}
                      width={Math.max(2, place(segment.to) - place(segment.from))}
                      height={10}
                    >
                      <title>{`${segment.text}, ${clockText(segment.from)}, ${spanText(segment.to - segment.from)}`}</title>
                    </rect>
                  ))}
                  {forecastFrom === undefined ? null : (
                    <line class="now" x1={place(forecastFrom)} x2={place(forecastFrom)} y1={0} y2={14} />
                  )}
                  <line class="mark" x1={place(at)} x2={place(at)} y1={0} y2={14} />
                </svg>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Card>
  )
}

const storyOf = ({ key, segments }: Lane) => `${key}: ${segments.map(({ text }) => text).join(', then ')}`
