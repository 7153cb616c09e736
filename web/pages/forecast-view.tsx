import { useState } from 'preact/hooks'
import type { ConsoleAction } from '../../src/wire/console-wire.ts'
import { DeviceImpact } from '../forecast/device-impact.tsx'
import { isHarmful, Verdict } from '../forecast/verdict.tsx'
import { WorkloadImpact } from '../forecast/workload-impact.tsx'
import { post } from '../model/api.ts'
import { actionsFor, undoing } from '../model/forecast-actions.ts'
import { hello } from '../model/live.ts'
import { counted } from '../model/words.ts'
import { Card } from '../parts/card.tsx'
import { CopyText } from '../parts/copy-text.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ForecastReplay } from './forecast-replay.tsx'
import type { AnsweredForecast } from './what-if-page.tsx'

/** The forecast: the verdict and the workloads, then the cluster over time. */
export function ForecastView(props: {
  readonly answer: AnsweredForecast
  readonly isPinned: boolean
  readonly onPin: () => void
  readonly onDiscard: () => void
  readonly onDone: (done: NonNullable<AnsweredForecast['done']>) => void
}) {
  const { answer, onDiscard, onDone } = props
  const { forecast, before, transitions, done } = answer
  const [confirms, setConfirms] = useState(false)
  const actions = actionsFor(answer.request, answer.nodes)
  return (
    <>
      <section class="card" aria-label="Forecast">
        <header class="forecast-head">
          <h2>If you {forecast.question}</h2>
          <span class="toolbar">
            {done === undefined ? null : (
              <span class="strong" role="status">
                {done.said}
              </span>
            )}
            {done === undefined || done.isUndone || actions === undefined ? null : (
              <UndoButton actions={actions} onDone={(said) => onDone({ said, isUndone: true })} />
            )}
            <button type="button" class="button" aria-pressed={props.isPinned} onClick={props.onPin}>
              {props.isPinned ? 'Pinned' : 'Pin to compare'}
            </button>
            <button type="button" class="button" onClick={onDiscard}>
              {done === undefined ? 'Discard' : 'Close'}
            </button>
            {hello.value?.can.act === true && done === undefined && actions !== undefined ? (
              <button
                type="button"
                class={isHarmful(forecast) ? 'button harmful' : 'button danger'}
                onClick={() => setConfirms(true)}
              >
                Do it…
              </button>
            ) : null}
          </span>
        </header>
        <div class="body stack">
          <Verdict forecast={forecast} />
        </div>
        <WorkloadImpact workloads={forecast.workloads} />
      </section>
      {forecast.devices === undefined ? null : (
        <Card title="Devices" aside="claims that get or release one">
          <DeviceImpact devices={forecast.devices} />
        </Card>
      )}
      <ForecastReplay forecast={forecast} before={before} transitions={transitions} nodes={answer.nodes} />
      <Repeat answer={answer} />
      {confirms && actions !== undefined ? (
        <Confirm
          answer={answer}
          actions={actions}
          onClose={() => setConfirms(false)}
          onDone={(said) => {
            setConfirms(false)
            onDone({ said, isUndone: false })
          }}
        />
      ) : null}
    </>
  )
}

/** The same question on the command line, and as a file. */
function Repeat({ answer: { command, scenario } }: { readonly answer: AnsweredForecast }) {
  if (command === undefined && scenario === undefined) return null
  return (
    <Card title="Ask again" aside="on the command line, or in CI">
      <div class="body stack">
        {command === undefined ? null : <CopyText label="Command" text={command} />}
        {scenario === undefined ? null : <CopyText label="Scenario for berth simulate" text={scenario} />}
      </div>
    </Card>
  )
}

async function performAll(actions: readonly ConsoleAction[]): Promise<string> {
  const said: string[] = []
  for (const action of actions) said.push((await post<{ readonly done: string }>('actions', action)).done)
  return said.join(', ')
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function UndoButton(props: { readonly actions: readonly ConsoleAction[]; readonly onDone: (said: string) => void }) {
  const undo = () =>
    performAll(props.actions.map(undoing)).then(props.onDone, (error) => props.onDone(messageOf(error)))
  return (
    <button type="button" class="button" onClick={() => void undo()}>
      Undo
    </button>
  )
}

function Confirm(props: {
  readonly answer: AnsweredForecast
  readonly actions: readonly ConsoleAction[]
  readonly onClose: () => void
  readonly onDone: (text: string) => void
}) {
  const { forecast } = props.answer
  const [busy, setBusy] = useState(false)
  const [accepted, setAccepted] = useState(false)
  const [problem, setProblem] = useState<string>()
  const harmful = isHarmful(forecast)
  const act = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      props.onDone(await performAll(props.actions))
    } catch (error) {
      setProblem(messageOf(error))
      setBusy(false)
    }
  }
  const [first] = props.actions
  const verb = first === undefined ? '' : `${first.kind[0]?.toUpperCase()}${first.kind.slice(1)}`
  const nodes = new Set(props.actions.flatMap((action) => action.nodes)).size
  return (
    <Dialog title={`Really ${forecast.question}?`} onClose={props.onClose}>
      <Verdict forecast={forecast} />
      <p>This changes the cluster now. {harmful ? '' : `The forecast says: ${forecast.answer[0] ?? ''}`}</p>
      {harmful ? (
        <label class="accept">
          <input type="checkbox" checked={accepted} onChange={(event) => setAccepted(event.currentTarget.checked)} />
          <span>
            I accept that {forecast.verdict === 'BLOCKED' ? 'it does not finish' : 'it does harm'}: {forecast.reason}
          </span>
        </label>
      ) : null}
      {problem === undefined ? null : (
        <p class="note bad" role="alert">
          {problem}
        </p>
      )}
      <div class="actions">
        <button type="button" class="button" onClick={props.onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="button danger"
          disabled={busy || (harmful && !accepted)}
          onClick={() => void act()}
        >
          {verb} {counted(nodes, 'node')}
        </button>
      </div>
    </Dialog>
  )
}
