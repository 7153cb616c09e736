import type { ForecastRequest, QuestionStep } from '../../src/wire/console-questions.ts'
import type { ConsoleAction } from '../../src/wire/console-wire.ts'

/** The requests that apply a question to the cluster; undefined if the console cannot apply a part of it. */
export function actionsFor(request: ForecastRequest, nodes: readonly string[]): readonly ConsoleAction[] | undefined {
  const { steps, release, flags } = request
  if (release !== undefined || flags !== undefined || steps.some(({ after = 0 }) => after > 0)) return undefined
  const actions = steps.map((step) => actionFor(step, steps.length === 1 ? nodes : step.args))
  return actions.every((action) => action !== undefined) ? actions : undefined
}

function actionFor({ question, args, options }: QuestionStep, nodes: readonly string[]): ConsoleAction | undefined {
  if (Object.keys(options).some((key) => key !== 'selector')) return undefined
  switch (question) {
    case 'cordon':
    case 'drain':
      return nodes.length === 0 ? undefined : { kind: question, nodes }
    case 'taint': {
      const taint = args.at(-1)
      const names = nodes.filter((name) => name !== taint)
      return taint === undefined || names.length === 0 ? undefined : { kind: 'taint', nodes: names, taint }
    }
    case 'fail':
      return args[0] === 'node' ? { kind: 'silence', nodes: args.slice(1) } : undefined
    default:
      return undefined
  }
}

const opposites: ReadonlyMap<ConsoleAction['kind'], ConsoleAction['kind']> = new Map([
  ['taint', 'untaint'],
  ['cordon', 'uncordon'],
  ['drain', 'uncordon'],
  ['silence', 'revive'],
])

/** Reverts an action, except that deleted pods stay deleted. */
export function undoing({ kind, nodes, taint }: ConsoleAction): ConsoleAction {
  return { kind: opposites.get(kind) ?? kind, nodes, ...(taint === undefined ? {} : { taint }) }
}
