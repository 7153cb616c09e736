import { useMemo } from 'preact/hooks'
import type { ReportData } from '../../src/wire/report-wire.ts'
import { momentText } from '../model/words.ts'
import { Dialog } from '../parts/dialog.tsx'
import { happeningOfLine } from './report-model.ts'

const shown = 200

/** The changes of one node and of its pods. */
export function NodeStory(props: { readonly data: ReportData; readonly name: string; readonly onClose: () => void }) {
  const { data, name } = props
  const { startMs, pods } = data.forecast
  const lines = useMemo(
    () =>
      data.timeline
        .filter(([, about, about_, , detail]) => (about === 'node' ? about_ === name : detail === name))
        .map((line) => ({ who: line[1] === 'node' ? '' : line[2], ...happeningOfLine(line, startMs) })),
    [data, name],
  )
  const leave = pods.filter(({ from, deleted }) => from === name && deleted !== undefined).length
  const come = pods.filter(({ isNew, node }) => isNew && node === name).length
  return (
    <Dialog title={name} onClose={props.onClose}>
      <p class="muted">
        {leave} pods are deleted here, {come} new ones are placed here.
      </p>
      <ol class="moments">
        {lines.slice(0, shown).map(({ at, who, what }, index) => (
          <li key={`${at} ${index}`}>
            <span class="when">{momentText(at - startMs)}</span> {who} {what}
          </li>
        ))}
        {lines.length > shown ? <li class="muted">and {lines.length - shown} more: see the timeline</li> : null}
      </ol>
      <div class="actions">
        <button type="button" class="button" onClick={props.onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
