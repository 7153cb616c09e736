import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { packs } from '../../controllers/hollow-kubelet/packs.ts'
import { defaultSettings } from '../../controlplane/settings.ts'
import { Rehearsal } from '../run/rehearsal.ts'
import { dumpOf, node, told } from '../run/story.fixture.ts'
import { findCluster } from './found-cluster.ts'
import { createRedactor } from './redaction.ts'
import { trimObject } from './trimming.ts'

const workload = (kind: string, spec: object) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: kind.toLowerCase(), namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: kind } },
    template: {
      metadata: { labels: { app: kind } },
      spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'PASSWORD', value: 'hunter2' }] }] },
    },
    ...spec,
  },
})

const cluster = [
  node('a1'),
  node('a2'),
  workload('StatefulSet', { serviceName: 'db', replicas: 2 }),
  workload('DaemonSet', {}),
]

/** What happens to the pods of a cluster that nobody touches. */
async function untouched(change: (object: KubeObject) => KubeObject | undefined): Promise<readonly string[]> {
  const { items } = (await dumpOf(cluster, '3m')) as { items: KubeObject[] }
  items.sort((a, b) => Number(a.kind === 'Pod') - Number(b.kind === 'Pod'))
  expect(items.filter(({ kind }) => kind === 'Pod')).toHaveLength(4)
  expect(items.filter(({ kind }) => kind === 'ControllerRevision')).toHaveLength(2)
  const found = findCluster({ objects: items.flatMap((object) => change(object) ?? []) })
  const rehearsal = new Rehearsal({
    title: '',
    settings: defaultSettings,
    hollow: { stages: packs.forecast },
    found: found.cluster,
    create: [],
    steps: [],
    untilMs: 600_000,
    expect: [],
    without: found.without,
  })
  return told(rehearsal.finish().chronicle.facts, 'terminating', 'created')
}

describe('a set that nobody changed is not rolled out', () => {
  it('when its revisions were dumped with it', async () => {
    expect(await untouched((object) => object)).toEqual([])
  })

  it('when they were not', async () => {
    expect(await untouched((object) => (object.kind === 'ControllerRevision' ? undefined : object))).toEqual([])
  })

  it('when the snapshot left out what may be secret', async () => {
    const trimmed: string[] = []
    const facts = await untouched((object) => {
      const kept = trimObject(object)
      trimmed.push(JSON.stringify(kept))
      return kept
    })
    expect(facts).toEqual([])
    expect(trimmed.filter((text) => text.includes('hunter2'))).toEqual([])
  })

  it('when names were replaced by hashes', async () => {
    const redact = createRedactor('salt')
    const redacted: string[] = []
    const facts = await untouched((object) => {
      const kept = redact(trimObject(object))
      redacted.push(JSON.stringify(kept))
      return kept
    })
    expect(facts).toEqual([])
    expect(redacted.filter((text) => text.includes('statefulset-'))).toEqual([])
  })

  it('when its revisions were written by a version that wrote them otherwise', async () => {
    const facts = await untouched((object) => {
      if (object.kind !== 'ControllerRevision') return object
      const text = JSON.stringify(object).replace(
        '"metadata":{"labels"',
        '"metadata":{"creationTimestamp":null,"labels"',
      )
      return JSON.parse(text) as KubeObject
    })
    expect(facts).toEqual([])
  })
})
