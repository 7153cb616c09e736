import type { Result } from '../base/result.ts'
import type { ForecastNote } from '../whatif/report/forecast.ts'
import { span } from '../whatif/report/phrases.ts'
import { plannedStep, targetText } from '../whatif/scenario/question.ts'
import {
  type Portion,
  parsePortion,
  presetNames,
  strategyOf,
  timeoutOutcomes,
  type UpgradeStrategy,
} from '../whatif/scenario/upgrade-strategy.ts'
import { choice, flag, parsed, text } from './command.ts'
import { defineQuestion, duration } from './whatif-command.ts'
import { chosenNodes, must, selectedNodes, selectorOption } from './whatif-targets.ts'

const dayMs = 24 * 3_600_000
// Long enough for the last pods to start.
const afterUpgradeMs = 10 * 60_000

const workers = '!node-role.kubernetes.io/control-plane'

function portion(given: string): Portion {
  return mustParse(parsePortion(given))
}

function mustParse<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

export const upgradeQuestion = defineQuestion({
  name: 'upgrade',
  summary: 'Forecast an upgrade of nodes by a provider or a tool, and what blocks it',
  description:
    'Drains the nodes of a pool and replaces them with new ones, within --max-surge and --max-unavailable. A preset has the documented ' +
    'defaults of a provider or a tool; options override the preset. Without a preset, the nodes are drained and replaced one after the ' +
    'other, and a drain that a disruption budget blocks is retried forever. The forecast ends ten minutes after the upgrade, ' +
    'an hour after the last progress, or after --for (24h).',
  args: [
    {
      name: '[nodes] [NODE…]',
      summary: 'Node names; or use -l (default: all nodes except those of the control plane)',
      takes: 'any',
    },
  ],
  options: {
    ...selectorOption,
    preset: choice({
      summary: 'Defaults of a provider or tool',
      choices: ['none', ...presetNames],
      default: 'none',
    }),
    maxSurge: parsed({
      summary: 'Maximum number of nodes above the size of the pool',
      value: 'N|PERCENT%',
      parse: portion,
    }),
    maxUnavailable: parsed({
      summary: 'Maximum number of nodes below the size of the pool',
      value: 'N|PERCENT%',
      parse: portion,
    }),
    drainTimeout: parsed({ summary: 'Maximum duration of a drain', value: 'DURATION', parse: duration }),
    onTimeout: parsed({
      summary:
        'After the drain timeout: fail ends the upgrade, force deletes the pods despite their budgets, skip continues with the next node',
      value: timeoutOutcomes.join('|'),
      parse: (given) => {
        const found = timeoutOutcomes.find((each) => each === given)
        if (found === undefined) throw new Error(`must be one of ${timeoutOutcomes.join(', ')}`)
        return found
      },
    }),
    forceAfter: parsed({
      summary: 'Same as --drain-timeout DURATION --on-timeout force',
      value: 'DURATION',
      parse: duration,
    }),
    blueGreen: flag({
      summary: 'Create all new nodes first, drain the old ones in batches, and remove them at the end',
    }),
    batch: parsed({
      summary: 'With --blue-green: number of nodes that are drained at once (default: 1)',
      value: 'N|PERCENT%',
      parse: portion,
    }),
    soak: parsed({
      summary: 'Time between the end of a drain, or of a batch, and the next one',
      value: 'DURATION',
      parse: duration,
    }),
    poolSoak: parsed({
      summary: 'With --blue-green: time from the last drain to the removal of the old nodes (default: 1h)',
      value: 'DURATION',
      parse: duration,
    }),
    inPlace: flag({ summary: 'Upgrade and uncordon the nodes instead of replacing them' }),
    nodeStartup: parsed({
      summary: 'Time until a new node exists; with --in-place: time of the upgrade (default: 1m)',
      value: 'DURATION',
      parse: duration,
    }),
    poolLabel: text({
      summary:
        'Node label with the name of the pool; pools are upgraded one after the other (default: that of the preset)',
      value: 'KEY',
    }),
  },
  examples: [
    { command: 'berth whatif upgrade nodes --preset eks --from dump.json', summary: 'Upgrade managed node groups' },
    {
      command: 'berth whatif upgrade nodes -l pool=web --max-surge 10% --force-after 1h',
      summary: 'Replace the nodes of a pool of the live cluster, ten percent at a time',
    },
    {
      command: 'berth whatif upgrade nodes -l pool=web --blue-green --batch 25% --soak 10m --from dump.json',
      summary: 'Move a pool to new nodes in four batches',
    },
  ],
  ask: (context, found) => {
    const { options } = context
    const args = context.args[0] === 'nodes' ? context.args.slice(1) : context.args
    const isAll = args.length === 0 && options.selector === undefined
    const nodes = isAll ? selectedNodes(workers, found) : chosenNodes({ args, options }, found)
    const strategy = must(
      strategyOf({
        ...options,
        preset: options.preset === 'none' ? undefined : options.preset,
        drainTimeoutMs: options.drainTimeout,
        forceAfterMs: options.forceAfter,
        soakMs: options.soak,
        poolSoakMs: options.poolSoak,
        inPlace: options.inPlace ? true : undefined,
        nodeStartupMs: options.nodeStartup,
      }),
    )
    const how = options.preset === 'none' ? '' : ` as ${options.preset} does`
    return {
      title: `upgrade ${isAll ? 'all nodes' : targetText(nodes)}${how}`,
      steps: [plannedStep({ kind: 'upgrade', nodes, strategy })],
      untilMs: dayMs,
      afterUpgradeMs,
      notes: options.nodeStartup === undefined ? [startupNote(strategy)] : [],
    }
  },
})

function startupNote({ nodeStartupMs, inPlace }: UpgradeStrategy): ForecastNote {
  const what = inPlace === true ? 'the upgrade of a drained node takes' : 'a new node exists after'
  return { kind: 'assumed', text: `${what} ${span(nodeStartupMs)}; set it with --node-startup` }
}
