import { counted } from '../../whatif/report/phrases.ts'
import { type ToolOutcome, UsageError } from '../answer.ts'
import { oneLine } from '../cluster-text.ts'
import type { Fork } from '../fork.ts'
import { stateOf, stateText } from '../happenings.ts'
import { fields, type InputSchema, openFields } from '../input-schema.ts'
import { provenanceOf, provenanceText } from '../provenance.ts'
import { type Arguments, forkOf, forkOutput, forkValue, inputs, optionalText, type Tool } from '../tool.ts'
import type { ForkRequest } from '../workspace.ts'

const settingInputs = {
  kubernetesVersion: {
    type: 'string',
    description: 'Release of Kubernetes, for example 1.37. Default: the release of the cluster.',
    maxLength: 32,
  },
  featureGates: { type: 'string', description: 'For example A=true,B=false.', maxLength: 2_000 },
  seed: { type: 'string', description: 'Random seed for names and ties between nodes.', minLength: 1, maxLength: 64 },
} as const satisfies Readonly<Record<string, InputSchema>>

const requestOf = (given: Arguments): ForkRequest => ({
  kubernetesVersion: optionalText(given, 'kubernetesVersion'),
  featureGates: optionalText(given, 'featureGates'),
  seed: optionalText(given, 'seed'),
})

const openOutput = openFields(
  {
    ...forkOutput,
    provenance: {
      type: 'object',
      description: 'The input to repeat the answer: snapshot, its hash, release and seed.',
    },
    state: { type: 'object' },
    notes: { type: 'array', items: { type: 'string' }, description: 'Missing kinds and assumptions.' },
  },
  ['fork', 'at', 'provenance', 'state'],
)

const openTool: Tool = {
  name: 'open',
  title: 'Open a cluster',
  description:
    'Opens a snapshot (berth snapshot), a dump (kubectl get … -o json) or a directory of manifests, or takes a snapshot of the live ' +
    'cluster that the server was started for. The answer has the id of a fork: a disposable cluster in virtual time, on which ' +
    'every other tool works. Nothing is ever written to a real cluster.',
  effect: 'changes',
  input: fields({
    file: {
      type: 'string',
      description: 'Path of the snapshot, dump or directory, below a directory that the server allows.',
      minLength: 1,
      maxLength: 4_096,
    },
    live: { type: 'boolean', description: 'Take a snapshot of the live cluster instead.' },
    ...settingInputs,
  }),
  output: openOutput,
  run: async (given, { workspace }) => {
    const file = optionalText(given, 'file')
    if ((file !== undefined) === (given['live'] === true))
      throw new UsageError(
        `exactly one of file and live is required: {"file": "PATH"}, or {"live": true}${openText([...workspace.forks.keys()])}`,
      )
    return opened(await workspace.open(file === undefined ? 'live' : { file }, requestOf(given)))
  },
}

const forkTool: Tool = {
  name: 'fork',
  title: 'Copy a fork',
  description:
    'Creates another disposable cluster in the same state, so that you can try a change without losing the current state. With another ' +
    'Kubernetes version, feature gates or seed, the changes of the fork are repeated from the snapshot with that setting.',
  effect: 'changes',
  input: fields({
    fork: { ...inputs.fork, description: 'The fork to copy. Default: the only open fork.' },
    ...settingInputs,
  }),
  output: openOutput,
  run: async (given, context) =>
    opened(await context.workspace.fork(forkOf(given, context), requestOf(given), context.work)),
}

function openText(ids: readonly string[]): string {
  return ids.length === 0 ? '' : `; open forks: ${ids.join(', ')}`
}

function opened(fork: Fork): ToolOutcome {
  const state = stateOf(fork)
  const { source, input } = fork.snapshot
  const from = fork.parent === undefined ? '' : ` from ${fork.parent}`
  const notes = fork.parent === undefined ? input.notes.map(({ kind, text }) => `${kind}: ${text}`) : []
  return {
    says: [
      `Fork ${fork.id}${from} at ${fork.at} is ready. ${stateText(state)}`,
      provenanceText(provenanceOf(fork)),
      ...(notes.length === 0 ? [] : [`${counted(notes.length, 'note')} on what is missing or assumed:`]),
    ],
    data: [...notes.map((note) => `- ${oneLine(note)}`), `Source: ${oneLine(source)}`],
    value: { ...forkValue(fork), provenance: provenanceOf(fork), state, notes },
  }
}

const closeTool: Tool = {
  name: 'close',
  title: 'Close a fork',
  description: 'Discards a fork and frees its memory. Forecasts of it stay readable.',
  effect: 'changes',
  input: fields({ fork: inputs.fork }, ['fork']),
  output: openFields({ closed: { type: 'string' }, open: { type: 'array', items: { type: 'string' } } }, [
    'closed',
    'open',
  ]),
  run: (given, context) => {
    const fork = forkOf(given, context)
    context.workspace.close(fork)
    const open = [...context.workspace.forks.keys()]
    return {
      says: [`Fork ${fork.id} is closed. Open: ${open.join(', ') || 'none'}.`],
      value: { closed: fork.id, open },
    }
  },
}

const statusTool: Tool = {
  name: 'status',
  title: 'Show open forks and forecasts',
  description: 'Lists the open forks with their time, changes and state, and the forecasts that can be read again.',
  effect: 'reads',
  input: fields({}),
  output: openFields({ forks: { type: 'array' }, forecasts: { type: 'array' } }, ['forks', 'forecasts']),
  run: (_given, { workspace }) => {
    const forks = [...workspace.forks.values()].map((fork) => ({
      ...forkValue(fork),
      ...(fork.parent === undefined ? {} : { from: fork.parent }),
      changes: fork.written.length,
      provenance: provenanceOf(fork),
      state: stateOf(fork),
    }))
    const forecasts = [...workspace.forecasts.values()].map(({ id, fork, forecast }) => ({
      id,
      fork,
      question: forecast.question,
      verdict: forecast.verdict,
    }))
    const live = workspace.hasLive ? ' A live cluster is available: call open with live true.' : ''
    return {
      says: [`${counted(forks.length, 'fork')} and ${counted(forecasts.length, 'forecast')}.${live}`],
      data: [
        ...forks.map(
          ({ fork, at, changes, state }) => `${fork} at ${at}, ${counted(changes, 'change')}: ${stateText(state)}`,
        ),
        ...forecasts.map(({ id, fork, question, verdict }) => `${id} on ${fork}: ${verdict}: ${oneLine(question)}`),
      ],
      value: { forks, forecasts },
    }
  },
}

export const workspaceTools: readonly Tool[] = [openTool, forkTool, closeTool, statusTool]
