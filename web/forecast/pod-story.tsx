import type { ForecastPod } from '../../src/wire/console-wire.ts'
import { podMoments } from '../model/forecast-filter.ts'
import { cpuText, memoryText, momentText } from '../model/words.ts'
import { InformingDialog } from '../parts/dialog.tsx'

/** The changes of one pod in a forecast, with their reasons. */
export function PodStory({
  pod,
  onClose,
  onPod,
}: {
  readonly pod: ForecastPod
  readonly onClose: () => void
  /** Opens another pod of the forecast. */
  readonly onPod: (key: string) => void
}) {
  const { replacement } = pod
  return (
    <InformingDialog title={pod.pod} onClose={onClose}>
      <p class="muted">
        CPU {cpuText(pod.cpuMilli)}, memory {memoryText(pod.memoryBytes)}
        {pod.isNew ? ', created during the forecast' : ''}
      </p>
      <ol class="moments">
        {podMoments(pod).map(({ seconds, text }) => (
          <li key={text}>
            <span class="when">{momentText(seconds * 1000)}</span> {text}
          </li>
        ))}
      </ol>
      {pod.pending === undefined ? null : <p class="note warn">Pending at the end: {pod.pending}</p>}
      {replacement === undefined ? null : (
        <p>
          Replaced by:{' '}
          <button type="button" class="link" onClick={() => onPod(replacement)}>
            {replacement}
          </button>
        </p>
      )}
    </InformingDialog>
  )
}
