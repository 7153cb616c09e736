import { useState } from 'preact/hooks'
import type { ConsoleAction, ConsoleForecastRequest } from '../../src/wire/console-wire.ts'
import { looksLikeSelector, parseSelector } from '../model/label-selector.ts'
import { live, revision } from '../model/live.ts'
import { N } from '../model/rows.ts'
import { counted } from '../model/words.ts'
import { Choice } from '../parts/controls.tsx'

type QuestionKind = ConsoleAction['kind']

const kinds: readonly { readonly value: QuestionKind; readonly text: string; readonly title: string }[] = [
  { value: 'taint', text: 'Taint', title: 'kubectl taint' },
  { value: 'cordon', text: 'Cordon', title: 'kubectl cordon: no more pods are placed there' },
  { value: 'drain', text: 'Drain', title: 'kubectl drain: pods are evicted as their budgets allow' },
  { value: 'silence', text: 'Silence', title: 'the kubelets stop answering' },
]

const spans = [
  { value: '600', text: '10 min' },
  { value: '3600', text: '1 h' },
  { value: '21600', text: '6 h' },
] as const

const suggested = 100

export interface QuestionFormProps {
  readonly kind: QuestionKind
  readonly nodes: string
  readonly isBusy: boolean
  readonly onAsk: (request: ConsoleForecastRequest) => void
}

export function QuestionForm(props: QuestionFormProps) {
  void revision.value
  const [kind, setKind] = useState<QuestionKind>(kinds.some(({ value }) => value === props.kind) ? props.kind : 'taint')
  const [nodes, setNodes] = useState(props.nodes)
  const [taint, setTaint] = useState('maintenance=now:NoExecute')
  const [seconds, setSeconds] = useState<(typeof spans)[number]['value']>('3600')
  const chosen = chosenNodes(nodes)
  const taintProblem = kind === 'taint' && !/^[^\s:=]+(=[^\s:]*)?:(NoSchedule|PreferNoSchedule|NoExecute)$/.test(taint)
  const isReady = chosen.nodes.length > 0 && chosen.problem === undefined && !taintProblem
  return (
    <form
      class="card question"
      aria-label="Question"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isReady) return
        props.onAsk({ kind, nodes: chosen.nodes, seconds: Number(seconds), ...(kind === 'taint' ? { taint } : {}) })
      }}
    >
      <span class="asking">What happens if I</span>
      <Choice<QuestionKind> label="Do" hideLabel value={kind} options={kinds} onChange={setKind} />
      <label>
        <span class="hidden-text">Nodes</span>
        <input
          class="field nodes"
          list="node-names"
          placeholder="node-1, node-2 or topology.kubernetes.io/zone=zone-a"
          value={nodes}
          spellcheck={false}
          autocomplete="off"
          aria-invalid={chosen.problem !== undefined}
          onInput={(event) => setNodes(event.currentTarget.value)}
        />
        <datalist id="node-names">
          {[...live.cluster.nodes.keys()].slice(0, suggested).map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      {kind === 'taint' ? (
        <label class="labelled">
          with
          <input
            class="field mono"
            aria-label="Taint"
            value={taint}
            spellcheck={false}
            autocomplete="off"
            aria-invalid={taintProblem}
            onInput={(event) => setTaint(event.currentTarget.value)}
          />
        </label>
      ) : null}
      <Choice label="and look ahead" value={seconds} options={spans} onChange={setSeconds} />
      <button type="submit" class="button primary" disabled={!isReady || props.isBusy}>
        Ask
      </button>
      <span class={chosen.problem === undefined ? 'muted' : 'bad'} role="status">
        {chosen.problem ??
          (taintProblem
            ? 'A taint is KEY=VALUE:EFFECT, with the effect NoSchedule, PreferNoSchedule or NoExecute.'
            : chosen.nodes.length === 0
              ? 'Name nodes, or select them by their labels.'
              : `${counted(chosen.nodes.length, 'node')}: ${chosen.nodes.slice(0, 6).join(', ')}${chosen.nodes.length > 6 ? '…' : ''}`)}
      </span>
    </form>
  )
}

function chosenNodes(text: string): { readonly nodes: readonly string[]; readonly problem?: string } {
  const wanted = text.trim()
  const { cluster } = live
  if (wanted === '') return { nodes: [] }
  if (looksLikeSelector(wanted)) {
    const selector = parseSelector(wanted)
    if (!selector.ok) return { nodes: [], problem: selector.message }
    const nodes = [...cluster.nodes.values()]
      .filter(({ row }) => selector.matches(cluster.labelsOf(row[N.labels])))
      .map(({ row }) => row[N.name])
    return nodes.length === 0 ? { nodes, problem: 'No node matches these labels.' } : { nodes }
  }
  const names = wanted.split(/[\s,]+/).filter((name) => name !== '')
  const unknown = names.find((name) => !cluster.nodes.has(name))
  return unknown === undefined ? { nodes: [...new Set(names)] } : { nodes: [], problem: `Node ${unknown} not found.` }
}
