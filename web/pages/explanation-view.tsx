import { useMemo, useState } from 'preact/hooks'
import type { ConsoleExplanation, ConsoleVerdict } from '../../src/wire/console-wire.ts'
import { usePolled } from '../model/poll.ts'
import { wakeWords } from '../model/wake-words.ts'
import { counted, countText } from '../model/words.ts'
import { Bar } from '../parts/bar.tsx'
import { NodeLink } from '../parts/columns.tsx'
import { Choice, Empty, Search, Tag } from '../parts/controls.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { go, nodeHref, podHref } from '../router.ts'

const colors = 7

/** The result of the scheduler for this pod on every node, and the changes that would place it. */
export function ExplanationView({ podKey, isPending }: { readonly podKey: string; readonly isPending: boolean }) {
  const { value, problem } = usePolled<ConsoleExplanation>(`explain/${podKey}`, isPending ? 5_000 : 60_000)
  if (problem !== undefined && value === undefined) return <div class="note bad">{problem}</div>
  return (
    <section class="card" aria-label="Result of the scheduler">
      <header>
        <h2>{isPending ? 'Why it is pending' : 'What the scheduler finds now'}</h2>
        {value === undefined ? null : <Verdict explanation={value} />}
      </header>
      {value === undefined ? (
        <Empty title="Asking the scheduler about every node…" />
      ) : (
        <div class="body stack">
          {isPending ? <Outlook explanation={value} /> : null}
          <Nodes explanation={value} />
        </div>
      )}
    </section>
  )
}

function Verdict({ explanation }: { readonly explanation: ConsoleExplanation }) {
  const feasible = explanation.nodes.filter((node) => node.feasible).length
  return (
    <Tag tone={feasible > 0 ? 'good' : 'bad'}>
      {feasible === 0
        ? `none of ${counted(explanation.nodes.length, 'node')} fits`
        : `${countText(feasible)} of ${counted(explanation.nodes.length, 'node')} ${feasible === 1 ? 'fits' : 'fit'}`}
    </Tag>
  )
}

function Outlook({ explanation }: { readonly explanation: ConsoleExplanation }) {
  const { message, never, repairs, preemption, wakesOn } = explanation
  const wakes = Object.entries(wakesOn).filter(([, events]) => events.length > 0)
  return (
    <div class="outlook">
      <div>
        <h3>Scheduler message</h3>
        <p class="mono wrap">{message}</p>
        {never === undefined ? null : <p class="bad strong">{never}</p>}
        {preemption === undefined ? null : (
          <p>
            Preemption would make room on <a href={nodeHref(preemption.node)}>{preemption.node}</a> by removing{' '}
            {preemption.victims.map((victim) => (
              <>
                <a key={victim} href={podHref(victim)}>
                  {victim}
                </a>{' '}
              </>
            ))}
          </p>
        )}
      </div>
      <div>
        <h3>Smallest change that would place it</h3>
        {repairs.length === 0 ? (
          <p class="muted">None found.</p>
        ) : (
          <ol class="repairs">
            {repairs.map(({ node, changes }, at) => (
              <li key={`${at} ${node}`}>
                {changes.join(', and ')}
                {node === '' ? null : (
                  <span class="muted">
                    {' '}
                    · it then fits on <a href={nodeHref(node)}>{node}</a>
                  </span>
                )}
              </li>
            ))}
          </ol>
        )}
      </div>
      <div>
        <h3>Events that requeue it</h3>
        {wakes.length === 0 ? (
          <p class="muted">No specific event; it is retried periodically.</p>
        ) : (
          <dl class="facts">
            {wakes.map(([plugin, events]) => (
              <>
                <dt key={plugin}>{plugin}</dt>
                <dd>{events.map(wakeWords).join(', ')}</dd>
              </>
            ))}
          </dl>
        )}
      </div>
    </div>
  )
}

type Shown = 'all' | 'feasible' | 'rejected'

function Nodes({ explanation }: { readonly explanation: ConsoleExplanation }) {
  const [search, setSearch] = useState('')
  const [shown, setShown] = useState<Shown>('all')
  const { plugins } = explanation
  const highest = Math.max(1, ...explanation.nodes.map(({ total = 0 }) => total))
  const columns = useMemo(() => columnsFor(plugins, highest), [plugins, highest])
  const rows = explanation.nodes.filter(
    ({ node, feasible, plugin = '', reasons = [] }) =>
      (shown === 'all' || feasible === (shown === 'feasible')) &&
      `${node} ${plugin} ${reasons.join(' ')}`.toLowerCase().includes(search.toLowerCase()),
  )
  return (
    <>
      <div class="toolbar">
        <Search label="Filter nodes" placeholder="Node, plugin or reason" value={search} onChange={setSearch} />
        <Choice<Shown>
          label="Show"
          value={shown}
          options={[
            { value: 'all', text: 'All' },
            { value: 'feasible', text: 'Fits' },
            { value: 'rejected', text: 'Rejected' },
          ]}
          onChange={setShown}
        />
        {plugins.length === 0 ? null : (
          <ul class="legend" aria-label="Scores by plugin">
            {plugins.map((plugin, at) => (
              <li key={plugin}>
                <span class={`swatch s${Math.min(at, colors - 1)}`} aria-hidden="true" />
                {plugin}
              </li>
            ))}
          </ul>
        )}
      </div>
      <Table
        label="Nodes"
        columns={columns}
        rows={rows}
        keyOf={({ node }) => node}
        maxHeight={520}
        onOpen={({ node }) => go(nodeHref(node))}
        empty={<Empty title="No node matches" />}
      />
    </>
  )
}

function columnsFor(plugins: readonly string[], highest: number): readonly Column<ConsoleVerdict>[] {
  return [
    {
      id: 'node',
      title: 'Node',
      width: 'minmax(112px, 0.8fr)',
      order: ({ node }) => node,
      cell: ({ node }) => <NodeLink node={node} />,
    },
    {
      id: 'verdict',
      onPhone: false,
      title: 'Verdict',
      width: '190px',
      order: ({ feasible, plugin = '' }) => (feasible ? '' : plugin),
      cell: ({ feasible, plugin }) => (
        <Tag tone={feasible ? 'good' : 'bad'}>{feasible ? 'fits' : (plugin ?? 'rejected')}</Tag>
      ),
    },
    {
      id: 'why',
      title: 'Reasons, or scores',
      width: 'minmax(124px, 3fr)',
      cell: (verdict) =>
        verdict.feasible ? (
          <Bar
            label={plugins.map((plugin) => `${plugin} ${Math.round(verdict.scores?.[plugin] ?? 0)}`).join(', ')}
            parts={plugins.map((plugin, at) => ({
              share: (verdict.scores?.[plugin] ?? 0) / highest,
              tone: `s${Math.min(at, colors - 1)}`,
            }))}
          />
        ) : (
          <span title={verdict.reasons?.join(', ')}>{verdict.reasons?.join(', ')}</span>
        ),
    },
    {
      id: 'total',
      onPhone: false,
      title: 'Score',
      width: '80px',
      align: 'right',
      order: ({ total = -1 }) => -total,
      cell: ({ total }) => (total === undefined ? '–' : countText(Math.round(total))),
    },
  ]
}
