import { type PackName, packNames } from '../controllers/hollow-kubelet/packs.ts'
import { faultGroups } from '../search/fault-kinds.ts'
import { clusterOptions } from './cluster-input.ts'
import { choice, flag, grouped, integer, type OptionValues, parsed, text } from './command.ts'
import { releaseOptions } from './release-options.ts'
import { webhookOptions } from './webhook-options.ts'
import { duration } from './whatif-command.ts'

export const searchFormats = ['text', 'json', 'scenario'] as const

export function searchOptions() {
  return {
    ...clusterOptions(),
    expect: text({
      summary:
        'YAML file with expectations (default: no disruption budget violated, no pod pending for 10m, no loop, nothing stuck)',
      value: 'FILE',
    }),
    faults: text({
      summary: 'Fault model: realistic, harsh, or a YAML file of kind FaultModel',
      value: 'MODEL',
      default: 'realistic',
    }),
    only: text({ summary: `Only faults of these groups: ${faultGroups.join(',')}`, value: 'GROUPS' }),
    budget: parsed({ summary: 'Time to search', value: 'DURATION', parse: duration, default: 600_000, shown: '10m' }),
    cases: integer({ summary: 'Maximum number of cases; the same number and seed repeat the search exactly', min: 1 }),
    certify: flag({ summary: 'Run only the exhaustive part, and print what it proves and what it does not cover' }),
    step: parsed({
      summary:
        'Interval between the start times of the second fault (default: next to each change that the first fault causes)',
      value: 'DURATION',
      parse: duration,
    }),
    for: text({ summary: 'Virtual time of each case', value: 'DURATION', default: '1h' }),
    seed: text({ summary: 'Random seed', default: '1' }),
    proposeFix: flag({ summary: 'Search for a change after which the same search finds no violation', default: true }),
    reduce: flag({ summary: 'Reduce the cluster to the objects that the violation needs', default: true }),
    standalone: flag({ summary: 'With -o scenario: include the reduced cluster instead of naming the file of --from' }),
    threads: integer({ summary: 'Number of threads (default: one per core)', min: 1, max: 256 }),
    ...releaseOptions,
    config: text({ summary: 'YAML file with flags of kube-controller-manager and kube-scheduler', value: 'FILE' }),
    pack: choice({
      summary: 'Behavior of the simulated kubelets',
      choices: packNames,
      default: 'forecast' as PackName,
    }),
    autoscaler: text({
      summary: 'YAML file with the autoscaler and its node groups; it acts in every case',
      value: 'FILE',
    }),
    output: choice({ short: 'o', summary: 'Output format', choices: searchFormats, default: 'text' }),
    ...grouped('Webhook options', webhookOptions),
  }
}

export type SearchOptions = OptionValues<ReturnType<typeof searchOptions>>
