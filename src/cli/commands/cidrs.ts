import { type Cidr, cidrsOverlap, containsIp, formatCidr, parseCidr } from '../../api/cidr.ts'
import { parseIp } from '../../api/ip-address.ts'
import {
  type BlockSituation,
  type CidrReport,
  type Holder,
  reportBlocks,
} from '../../controllers/node-ipam/cidr-report.ts'
import { forecastGrowth, type GrowthForecast } from '../../controllers/node-ipam/growth-forecast.ts'
import { type CidrInput, rangesIn, readCidrs } from '../cidr-input.ts'
import { clusterOptions } from '../cluster-access.ts'
import { defineCommand, type ExitCode, exitCodes, integer, text, wrongQuestion } from '../command.ts'
import { ageText } from '../durations.ts'
import { choosePalette, outputOption, printAnswer, renderTable, type TextPalette } from '../output.ts'

const dayMs = 86_400_000
const shown = 5

export const command = defineCommand({
  name: 'cidrs',
  summary: 'Show the pod CIDRs of nodes, how many are free, and when the range is exhausted',
  description:
    'Counts used and free pod CIDRs, finds duplicates, CIDRs out of range and leaked CIDRs, and estimates when the range is ' +
    'exhausted. Reads the ranges from --cluster-cidr, a running berth, ClusterCIDR objects or the flags of ' +
    'kube-controller-manager; otherwise they are estimated from the nodes, and the output says so. With an address, a CIDR or ' +
    'a node name, prints the node that has it. --if-cluster-cidr and --if-node-cidr-mask-size show the result for another ' +
    'range or size; the exit code is 1 if existing nodes would be out of range.',
  args: [{ name: 'WHAT', summary: 'Address, CIDR or node name to look up', takes: 'at-most-one' }],
  options: {
    ...clusterOptions,
    from: text({
      summary: 'File or directory with nodes (kubectl get nodes -o json|yaml, or a snapshot); - for standard input',
      value: 'FILE',
    }),
    clusterCidr: text({ summary: 'Cluster CIDR, or two for dual stack', value: 'RANGE' }),
    nodeCidrMaskSize: text({ summary: 'Mask size of a node CIDR (24, or 64 for IPv6)', value: 'N' }),
    nodeCidrMaskSizeIpv4: text({ summary: 'Mask size of an IPv4 node CIDR', value: 'N' }),
    nodeCidrMaskSizeIpv6: text({ summary: 'Mask size of an IPv6 node CIDR', value: 'N' }),
    serviceClusterIpRange: text({ summary: 'Service CIDR, which is excluded', value: 'RANGE' }),
    ifClusterCidr: text({ summary: 'Cluster CIDR to compare with', value: 'RANGE' }),
    ifNodeCidrMaskSize: text({ summary: 'Mask size to compare with', value: 'N' }),
    days: integer({ summary: 'Number of days to measure growth over', default: 30, min: 1, max: 3650 }),
    output: outputOption(),
  },
  examples: [
    { command: 'berth cidrs', summary: 'Use the cluster of berth up, or of the current context' },
    { command: 'berth cidrs -o wide', summary: 'Include every node with its pod CIDR' },
    { command: 'berth cidrs 10.244.3.17', summary: 'Find the node that has an address' },
    {
      command: 'kubectl get nodes -o json | berth cidrs --from - --cluster-cidr 10.244.0.0/16',
      summary: 'Read the nodes from a dump',
    },
    { command: 'berth cidrs --if-node-cidr-mask-size 26', summary: 'Check whether smaller node CIDRs would help' },
  ],
  run: async (context) => {
    const { options, stdout, env } = context
    const input = await readCidrs(context)
    const palette = choosePalette(stdout, env)
    const [what] = context.args
    if (what !== undefined) return lookUp(what, input, (rows) => printHolders(context, rows, input.now, palette))
    const wanted = otherSituation(input.situation, options)
    const now = answerFor(input.situation, input, options.days)
    const then = wanted === undefined ? undefined : answerFor(wanted, { ...input, situation: wanted }, options.days)
    const value = {
      rangesFrom: input.ranges,
      isEstimated: sources[input.ranges] !== '',
      ...flat(now),
      ...(then === undefined ? {} : { whatIf: flat(then) }),
    }
    if (options.output === 'json' || options.output === 'yaml') {
      const held = { holders: input.situation.holders.map(({ node, cidrs }) => ({ node, cidrs })) }
      printAnswer(stdout, { format: options.output, columns: [], rows: [], value: { ...value, ...held }, palette })
    } else {
      if (options.output === 'wide') printHolders(context, input.situation.holders, input.now, palette)
      stdout.write(situationText(now, palette))
      stdout.write(sourceLine(input))
      if (then !== undefined) stdout.write(`\nwhat if:\n${situationText(then, palette)}${moveText(then.report)}`)
    }
    return then !== undefined && then.report.outOfRange.length > 0 ? exitCodes.answerIsNo : exitCodes.done
  },
})

interface CidrOutput {
  readonly report: CidrReport
  readonly forecast?: Omit<GrowthForecast, 'exhaustedAtMs'> & { readonly exhaustedAt?: string }
}

const flat = ({ report, forecast }: CidrOutput) => ({ ...report, ...(forecast === undefined ? {} : { forecast }) })

function answerFor(situation: BlockSituation, { now }: CidrInput, days: number): CidrOutput {
  const report = reportBlocks(situation)
  const created = situation.holders.flatMap(({ createdAtMs }) => (createdAtMs === undefined ? [] : [createdAtMs]))
  const growth = forecastGrowth(created, { room: report.room, now, windowMs: days * dayMs })
  if (growth === undefined) return { report }
  const { exhaustedAtMs, ...forecast } = growth
  if (exhaustedAtMs === undefined) return { report, forecast }
  return { report, forecast: { ...forecast, exhaustedAt: new Date(exhaustedAtMs).toISOString() } }
}

function otherSituation(
  situation: BlockSituation,
  options: { readonly ifClusterCidr: string | undefined; readonly ifNodeCidrMaskSize: string | undefined },
): BlockSituation | undefined {
  const { ifClusterCidr, ifNodeCidrMaskSize } = options
  if (ifClusterCidr === undefined && ifNodeCidrMaskSize === undefined) return undefined
  // Leaked and reserved CIDRs belong to the current ranges.
  const { leaked: _, reserved: __, ...kept } = situation
  if (ifClusterCidr === undefined && situation.ranges.length !== 1)
    throw wrongQuestion('--if-node-cidr-mask-size alone needs a cluster with one range; pass --if-cluster-cidr as well')
  const range = ifClusterCidr ?? formatCidr((situation.ranges[0] as { readonly range: Cidr }).range)
  const size = ifNodeCidrMaskSize ?? sizeOfOne(situation, range)
  const flags = { 'cluster-cidr': range, ...(size === undefined ? {} : { 'node-cidr-mask-size': size }) }
  return { ...kept, ranges: rangesIn(flags).ranges }
}

/** Another range of the same family keeps the mask size. */
function sizeOfOne(situation: BlockSituation, range: string): string | undefined {
  const family = range.includes(',') ? undefined : parseCidr(range)?.family
  const same = situation.ranges.find((plan) => plan.range.family === family)
  return same === undefined ? undefined : String(same.maskSize)
}

function situationText({ report, forecast }: CidrOutput, palette: TextPalette): string {
  const isNamed = report.ranges.some(({ name }) => name !== undefined)
  type Row = CidrReport['ranges'][number]
  const table = renderTable<Row>(
    [
      ...(isNamed ? [{ header: 'NAME', cell: (row: Row) => row.name }] : []),
      { header: 'RANGE', cell: (row) => row.range },
      { header: 'BLOCKS', cell: (row) => `${row.blocks} × /${row.maskSize}`, align: 'right' },
      { header: 'USED', cell: (row) => row.used, align: 'right' },
      { header: 'SERVICES', cell: (row) => row.services, align: 'right' },
      {
        header: 'LEAKED',
        cell: (row) => row.leaked,
        align: 'right',
        style: (row) => (row.leaked > 0 ? 'red' : undefined),
      },
      {
        header: 'FREE',
        cell: (row) => row.free,
        align: 'right',
        style: (row) => (row.free === 0 ? 'red' : row.free * 10 < row.blocks ? 'yellow' : 'green'),
      },
      { header: 'LARGEST FREE', cell: (row) => row.largestFree },
    ],
    report.ranges,
    palette,
  )
  return `${table}\n${roomLine(report, forecast)}${problems(report)}`
}

function roomLine({ room }: CidrReport, forecast: CidrOutput['forecast']): string {
  const many = `room for ${room === 0 ? 'no' : room} more node${room === 1 ? '' : 's'}`
  if (forecast === undefined) return `${many}; growth is unknown (less than a day of data)\n`
  const { created, days, exhaustedAt } = forecast
  const period = days < 1.5 ? 'day' : `${Math.round(days)} days`
  if (created === 0) return `${many}; no nodes were added in the last ${period}\n`
  const growth = `at the growth of the last ${period} (${created} node${created === 1 ? '' : 's'})`
  const end =
    exhaustedAt === undefined ? 'not exhausted in the foreseeable future' : `exhausted on ${exhaustedAt.slice(0, 10)}`
  return `${many}; ${end} ${growth}\n`
}

function problems(report: CidrReport): string {
  const lines: string[] = []
  const list = (texts: readonly string[]) =>
    texts.length <= shown ? texts.join(', ') : `${texts.slice(0, shown).join(', ')} and ${texts.length - shown} more`
  const { withoutBlock, overlapping, outOfRange, leaked, narrow } = report
  if (withoutBlock.length > 0) lines.push(`without a pod CIDR: ${list(withoutBlock)}`)
  if (overlapping.length > 0) {
    const pairs = overlapping.map(({ one, other }) => `${one.node} (${one.cidr}) with ${other.node} (${other.cidr})`)
    lines.push(`overlapping: ${list(pairs)}`)
  }
  if (outOfRange.length > 0)
    lines.push(`out of range: ${list(outOfRange.map(({ node, cidr }) => `${node} (${cidr})`))}`)
  if (leaked.length > 0) lines.push(`leaked until the controller restarts: ${list(leaked)}`)
  if (narrow.length > 0) {
    const texts = narrow.map(
      ({ node, cidr, maxPods, addresses }) => `${node} (${cidr}: ${addresses} for ${maxPods} pods)`,
    )
    lines.push(`fewer addresses than pods: ${list(texts)}`)
  }
  for (const { range, maxPods, addresses } of report.tooSmall) {
    lines.push(`pod CIDRs of ${range} have ${addresses} addresses, fewer than the ${maxPods} pods that a node allows`)
  }
  return lines.map((line) => `${line}\n`).join('')
}

const sources: Readonly<Record<CidrInput['ranges'], string>> = {
  flags: '',
  berth: '',
  ClusterCIDRs: 'estimated: the ranges are those of the ClusterCIDR objects, whose node selectors are ignored\n',
  'kube-controller-manager':
    "estimated: the ranges are those of kube-controller-manager's flags; leaks are not detected\n",
  nodes:
    'estimated: the ranges are unknown, so the smallest that contain all pod CIDRs are used; set them with --cluster-cidr\n',
}

function sourceLine({ ranges }: CidrInput): string {
  return sources[ranges]
}

function moveText({ outOfRange }: CidrReport): string {
  if (outOfRange.length === 0) return 'all pod CIDRs are in range\n'
  const many = outOfRange.length === 1 ? '1 pod CIDR is' : `${outOfRange.length} pod CIDRs are`
  return `${many} out of range: kube-controller-manager v1.36 would not start; berth with --fix cidr-leaks ignores these nodes\n`
}

function lookUp(what: string, { situation }: CidrInput, print: (rows: readonly Holder[]) => void): ExitCode {
  const address = parseIp(what)
  const wanted = parseCidr(what)
  const holds = (cidr: Cidr) =>
    address === undefined ? wanted !== undefined && cidrsOverlap(cidr, wanted) : containsIp(cidr, address)
  const rows = situation.holders.filter(
    ({ node, cidrs }) =>
      node === what ||
      cidrs.some((textual) => {
        const cidr = parseCidr(textual)
        return cidr !== undefined && holds(cidr)
      }),
  )
  print(rows)
  return rows.length === 0 ? exitCodes.answerIsNo : exitCodes.done
}

function printHolders(
  {
    stdout,
    options,
  }: {
    readonly stdout: Parameters<typeof printAnswer>[0]
    readonly options: { readonly output: 'table' | 'wide' | 'json' | 'yaml' }
  },
  holders: readonly Holder[],
  now: number,
  palette: TextPalette,
): void {
  printAnswer(stdout, {
    format: options.output,
    columns: [
      { header: 'NODE', cell: (row) => row.node },
      { header: 'PODCIDRS', cell: (row) => row.cidrs.join(',') },
      { header: 'AGE', cell: (row) => (row.createdAtMs === undefined ? undefined : ageText(now - row.createdAtMs)) },
    ],
    rows: holders,
    value: holders.map(({ node, cidrs }) => ({ node, cidrs })),
    palette,
    empty: 'not found on any node',
  })
  if (options.output === 'wide') stdout.write('\n')
}
