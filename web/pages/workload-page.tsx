import { useMemo } from 'preact/hooks'
import { hello, live, revision } from '../model/live.ts'
import { P } from '../model/rows.ts'
import { counted, countText } from '../model/words.ts'
import { nextDrain, standingsOf } from '../model/workloads.ts'
import { Bar } from '../parts/bar.tsx'
import { Card } from '../parts/card.tsx'
import { NodeLink } from '../parts/columns.tsx'
import { Empty, Tag } from '../parts/controls.tsx'
import { NotFound, Page } from '../parts/page.tsx'
import { Table } from '../parts/table.tsx'
import { go, podHref } from '../router.ts'
import { podColumns } from './pods-page.tsx'
import { whatIfHref } from './what-if-link.ts'
import { readyTone } from './workloads-page.tsx'

/** One workload: its replicas, its pods, and its disruption budgets. */
export function WorkloadPage({ workloadKey }: { readonly workloadKey: string }) {
  const at = revision.value
  const { cluster } = live
  const standing = useMemo(
    () => standingsOf(cluster).find(({ key }) => key === workloadKey),
    [cluster, at, workloadKey],
  )
  if (standing === undefined)
    return (
      <NotFound title={`${workloadKey} not found`}>
        <a href="#/workloads">All workloads</a>
      </NotFound>
    )
  const { kind, name, namespace, ready, wanted, updated, zones, worst, budgets, trouble } = standing
  const outlook = nextDrain(standing)
  const most = Math.max(1, ...zones.values())
  const canAsk = hello.value?.can.forecast === true
  return (
    <Page
      title={name}
      aside={
        <>
          <Tag>{kind}</Tag>
          <Tag>{namespace}</Tag>
          <Tag tone={readyTone(standing)}>
            {countText(ready)} of {wanted === undefined ? '?' : countText(wanted)} ready
          </Tag>
        </>
      }
      figures={
        canAsk ? (
          <span class="toolbar">
            {kind === 'Deployment' || kind === 'StatefulSet' ? (
              <a
                class="button"
                href={`#/what-if?${new URLSearchParams({ ask: 'scale', a0: `${kind.toLowerCase()}/${name}`, namespace, replicas: String((wanted ?? ready) * 2) })}`}
              >
                What if it is scaled…
              </a>
            ) : null}
            {worst === undefined ? null : (
              <a class="button primary" href={whatIfHref('drain', [worst.node])}>
                What if its fullest node is drained…
              </a>
            )}
          </span>
        ) : undefined
      }
    >
      {trouble === '' ? null : <div class="note bad">{trouble}</div>}
      <div class="cards">
        <Card title="Facts">
          <div class="body">
            <dl class="facts">
              <dt>Up to date</dt>
              <dd>{updated === undefined ? '–' : `${countText(updated)} of ${countText(wanted ?? 0)}`}</dd>
              <dt>Restarts</dt>
              <dd>{countText(standing.restarts)}</dd>
              <dt>The next drain</dt>
              <dd class={outlook.tone}>{outlook.text}</dd>
              <dt>Fullest node</dt>
              <dd>
                {worst === undefined ? (
                  '–'
                ) : (
                  <>
                    <NodeLink node={worst.node} /> has {counted(worst.pods, 'pod')}
                  </>
                )}
              </dd>
            </dl>
          </div>
        </Card>
        <Card title="Zones" aside={counted(zones.size, 'zone')}>
          <div class="body">
            <dl class="facts">
              {[...zones].map(([zone, count]) => (
                <>
                  <dt key={zone}>{zone === '' ? 'no zone' : zone}</dt>
                  <dd class="usage-line">
                    <Bar label={`${count} pods`} parts={[{ share: count / most, tone: 'used' }]} />
                    {countText(count)}
                  </dd>
                </>
              ))}
            </dl>
          </div>
        </Card>
        <Card title="Disruption budgets" aside={counted(budgets.length, 'budget')}>
          <div class="body">
            {budgets.length === 0 ? (
              <p class="muted">None: a drain may evict all of its pods at once.</p>
            ) : (
              <dl class="facts">
                {budgets.map(([key, rule, , healthy, desired, expected, allowed]) => (
                  <>
                    <dt key={key}>
                      <a href={`#/budgets?search=${encodeURIComponent(key)}`}>{key.split('/')[1]}</a>
                    </dt>
                    <dd>
                      {rule}: {healthy} of {expected} healthy, {desired} needed, {allowed} may be evicted now
                    </dd>
                  </>
                ))}
              </dl>
            )}
          </div>
        </Card>
      </div>
      <Card title="Pods" aside={countText(standing.pods.length)}>
        <Table
          label={`Pods of ${name}`}
          columns={podColumns}
          rows={standing.pods}
          keyOf={(pod) => pod[P.key]}
          maxHeight={520}
          initialOrder={{ column: 'state', descending: false }}
          onOpen={(pod) => go(podHref(pod[P.key]))}
          empty={<Empty title="It has no pods" />}
        />
      </Card>
    </Page>
  )
}
