import type { CidrAnswer } from '../../src/wire/console-wire.ts'
import { RangeCard } from '../map/address-range.tsx'
import { growthOf } from '../model/growth.ts'
import { live, now, revision } from '../model/live.ts'
import { usePolled } from '../model/poll.ts'
import { counted } from '../model/words.ts'
import { Empty } from '../parts/controls.tsx'
import { nodeHref } from '../router.ts'

export function AddressesPage() {
  const { value, problem } = usePolled<CidrAnswer>('cidrs', 2_000)
  return (
    <main class="page">
      <div class="head">
        <div class="title">
          <h1>Addresses</h1>
          <span class="muted">pod CIDRs of the nodes</span>
        </div>
      </div>
      {problem === undefined ? null : <div class="note bad">{problem}</div>}
      {value === undefined ? <Empty title="Loading…" /> : <Ranges answer={value} />}
    </main>
  )
}

function Ranges({ answer }: { readonly answer: CidrAnswer }) {
  if (answer.ranges.length === 0) {
    return (
      <Empty title="No controller allocates pod CIDRs">
        <span>
          The node IPAM controller does not run, or <code>--allocate-node-cidrs</code> is not set.
        </span>
      </Empty>
    )
  }
  return (
    <>
      {answer.waiting.length === 0 ? null : (
        <div class="note bad">
          {counted(answer.waiting.length, 'node has', 'nodes have')} no block because there is none left:{' '}
          {answer.waiting.slice(0, 10).join(', ')}
        </div>
      )}
      {answer.outOfRange.map(({ node, cidrs, why }) => (
        <div key={node} class="note warn">
          <a href={nodeHref(node)}>{node}</a> has {cidrs.join(', ')}: {why}
        </div>
      ))}
      {answer.ranges.map((range) => (
        <RangeCard key={range.range} range={range}>
          <Forecast free={range.max - range.used} />
        </RangeCard>
      ))}
    </>
  )
}

/** The time at which the range is exhausted, from the observed growth. */
function Forecast({ free }: { readonly free: number }) {
  void revision.value
  const growth = growthOf(live.cluster, now.value)
  const room = `room for ${counted(free, 'more node')}`
  return (
    <>
      {room}
      <small> {growth === undefined ? '' : `· ${growth.text(free)}`}</small>
    </>
  )
}
