import { formatTaint } from '../api/taints.ts'
import { span } from '../whatif/report/phrases.ts'
import { plannedStep, targetText } from '../whatif/scenario/question.ts'
import { parseTaint } from '../whatif/scenario/taint-text.ts'
import { parsed, text } from './command.ts'
import { defineQuestion, duration } from './whatif-command.ts'
import { chosenNodes, must, nodeArgs, selectorOption } from './whatif-targets.ts'

const defaultNoticeMs = 120_000

export const interruptQuestion = defineQuestion({
  name: 'interrupt',
  summary: 'Forecast the reclaim of spot instances after a notice',
  description:
    'At the notice, the nodes get a taint and all of them are drained at once, as a termination handler does. When the notice is ' +
    'over, the machines are gone and their Node objects are deleted, whether or not the drain is done.',
  args: nodeArgs,
  options: {
    ...selectorOption,
    notice: parsed({
      summary: 'Time from the notice to the end of the machine: 2m on AWS, 30s on Azure and Google Cloud',
      value: 'DURATION',
      parse: duration,
      default: defaultNoticeMs,
      shown: '2m',
    }),
    taint: text({
      summary: 'Taint of the nodes during the notice',
      value: 'KEY[=VALUE]:EFFECT',
      default: 'berth.dev/interrupted:NoSchedule',
    }),
  },
  examples: [
    { command: 'berth whatif interrupt a1 --from dump.json', summary: 'Reclaim one node after two minutes' },
    {
      command: 'berth whatif interrupt -l pool=spot --notice 30s',
      summary: 'Reclaim a whole pool of the live cluster after half a minute',
    },
  ],
  ask: (context, found) => {
    const nodes = chosenNodes(context, found)
    const { notice, taint } = context.options
    const given = must(parseTaint(taint))
    return {
      title: `interrupt ${targetText(nodes)} with ${span(notice)} notice`,
      steps: [
        plannedStep({ kind: 'taint', nodes, taint: given }),
        plannedStep({ kind: 'drain', nodes, options: { force: true } }),
        plannedStep({ kind: 'fail', nodes }, notice),
        plannedStep({ kind: 'remove', nodes }, notice),
      ],
      notes:
        taint === 'berth.dev/interrupted:NoSchedule'
          ? []
          : [{ kind: 'assumed', text: `the termination handler taints the nodes with ${formatTaint(given)}` }],
    }
  },
})
