import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { silentLogger } from '../../src/base/log.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { realPorts } from '../../src/cli/ports.ts'
import { runBerth } from '../../src/cli/run-berth.fixture.ts'
import { type ApiProcess, startApiProcess } from '../../src/controlplane/api-process.ts'
import { deployment, dumpOf } from '../../src/whatif/run/story.fixture.ts'
import { createScenarioNodes } from '../../src/whatif/scenario/scenario-nodes.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-live-'))
const real = realPorts()

const berth = (args: readonly string[]) => runBerth(args, { cwd: folder, now: real.now })

describe('a cluster behind a kubeconfig', () => {
  let api: ApiProcess

  beforeAll(async () => {
    api = await startApiProcess({ host: '127.0.0.1', port: 0, clock: new RealClock(), log: silentLogger })
    writeFileSync(join(folder, 'kubeconfig'), api.kubeconfig)
    const { zoneA } = createScenarioNodes()
    const { items } = (await dumpOf([...zoneA(3), deployment('web', 3)])) as { items: readonly KubeObject[] }
    for (const object of items) {
      const kind = api.registry.kinds.findKind(object.apiVersion?.split('/').at(-2) ?? '', object.kind ?? '')
      const key =
        object.metadata.namespace === undefined
          ? object.metadata.name
          : `${object.metadata.namespace}/${object.metadata.name}`
      const resource = kind?.storage ?? ''
      if (api.registry.store.get(resource, key) === undefined) {
        api.registry.store.commit([{ kind: 'create', resource, key, object }])
      }
    }
  })

  afterAll(async () => {
    await api.close()
    rmSync(folder, { recursive: true })
  })

  it('saves a live cluster to a snapshot that forecasts can read', async () => {
    const taken = await berth(['snapshot', 'live.jsonl.gz', '--kubeconfig', 'kubeconfig', '--kube-api-qps', '500'])
    expect(taken.err).toBe('')
    expect(taken.code).toBe(0)
    expect(taken.out).toMatch(/^live\.jsonl\.gz: \d+ objects, including 3 nodes and 3 pods\n$/)
    // Only its owner can read it.
    expect(statSync(join(folder, 'live.jsonl.gz')).mode & 0o777).toBe(0o600)
    const answer = await berth(['whatif', 'taint', 'a1', 'gone:NoExecute', '--from', 'live.jsonl.gz'])
    expect(answer.out).toMatch(/^[A-Z]+: .*\n(.*\n)*1 pod is deleted at 0s \(evicted by taint\); no pods move/)
  })

  it('writes the instance types of the nodes with --catalog, which --autoscaler reads', async () => {
    const node = api.registry.store.get('nodes', 'a1') as KubeObject
    const labels = { ...node.metadata.labels, 'node.kubernetes.io/instance-type': 'm5.large' }
    const object = { ...node, metadata: { ...node.metadata, labels } }
    api.registry.store.commit([{ kind: 'update', resource: 'nodes', key: 'a1', object }])
    const rest = ['--kubeconfig', 'kubeconfig', '--kube-api-qps', '500']
    const taken = await berth(['snapshot', 'types.jsonl.gz', '--catalog', 'catalog.yaml', ...rest])
    expect(taken.out).toContain('catalog.yaml: 1 instance types; add prices per hour where they are null\n')
    expect(readFileSync(join(folder, 'catalog.yaml'), 'utf8')).toContain('name: m5.large')
    const cordon = ['whatif', 'cordon', 'a1', '--from', 'types.jsonl.gz', '--autoscaler', 'catalog.yaml']
    expect((await berth(cordon)).code).toBe(0)
  })

  it('forecasts on a live cluster', async () => {
    const answer = await berth(['whatif', 'cordon', 'a1', '--kubeconfig', 'kubeconfig', '--kube-api-qps', '500'])
    expect(answer.code).toBe(0)
    expect(answer.out).toMatch(/^[A-Z]+: .*\nNo pods are deleted\.\n/)
  })

  it('hides names in a redacted snapshot', async () => {
    await berth(['snapshot', 'hashed.jsonl.gz', '--redact', '--kubeconfig', 'kubeconfig', '--kube-api-qps', '500'])
    const text = gunzipSync(readFileSync(join(folder, 'hashed.jsonl.gz'))).toString('utf8')
    expect(text).toContain('"redacted":true')
    expect(text).not.toMatch(/"(a1|web|web-[a-z0-9-]+)"/)
    const zone = await berth(['whatif', 'fail', 'zone', 'zone-a', '--from', 'hashed.jsonl.gz'])
    expect(zone.code).toBe(0)
  })

  it('exits with 3 if the cluster is unreachable, and with 2 on a wrong name', async () => {
    const dead = api.kubeconfig.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:9')
    writeFileSync(join(folder, 'dead'), dead)
    const gone = await berth(['snapshot', 'x.jsonl.gz', '--kubeconfig', 'dead'])
    expect(gone.code).toBe(3)
    expect(gone.err).toMatch(/^berth: cannot read nodes: .*ECONNREFUSED/)
    expect((await berth(['snapshot', 'x.json', '--kubeconfig', 'kubeconfig'])).err).toBe(
      'berth: x.json: the file name must end in .jsonl.gz\n',
    )
    const context = await berth(['snapshot', '--kubeconfig', 'kubeconfig', '--context', 'nowhere'])
    expect(context.code).toBe(2)
    expect(context.err).toMatch(/^berth: kubeconfig: no context "nowhere" in the kubeconfig/)
  })
})
