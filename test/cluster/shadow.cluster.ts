import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { createHttpClient } from '../../src/client/http-client.ts'
import { loadAccess } from '../../src/client/kubeconfig/load-access.ts'
import type { ShadowVerdict } from '../../src/scheduler/shadow.ts'
import { buildParts, eventually, exitOf, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing()
const pods = 500

describe.skipIf(reason !== undefined)(
  `berth next to kube-scheduler v1.36.4${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let client: ReturnType<typeof createHttpClient>
    beforeAll(async () => {
      buildParts()
      cluster = await startRealCluster({ audit: true })
      const access = await loadAccess({ kubeconfig: cluster.kubeconfig }, Date.now)
      client = createHttpClient({
        access,
        clock: new RealClock(),
        random: createRandom('shadow').stream('watch'),
        maxSockets: 32,
      })
    })
    afterAll(async () => {
      client?.close()
      await cluster?.close()
    })

    // Placements depend on all earlier ones, so a failed test is not retried in the same cluster.
    it(`finds nothing unexplained in ${pods} random placements, and writes nothing`, { retry: 0 }, async () => {
      const random = createRandom('shadow').stream('pods')
      const create = async (resource: string, object: KubeObject) => {
        const { namespace } = object.metadata
        const outcome = await client.call({
          verb: 'create',
          resource,
          object,
          ...(namespace === undefined ? {} : { namespace }),
        })
        if (!outcome.ok) throw new Error(outcome.status.message)
      }
      for (let i = 0; i < 60; i++) {
        const resources = { cpu: random.pick(['4', '8', '16']), memory: random.pick(['16Gi', '32Gi']), pods: '110' }
        const labels = {
          'kubernetes.io/hostname': `n${i}`,
          'topology.kubernetes.io/zone': `zone-${i % 3}`,
          disk: random.pick(['ssd', 'hdd']),
        }
        await create('nodes', {
          apiVersion: 'v1',
          kind: 'Node',
          metadata: { name: `n${i}`, labels },
          status: { capacity: resources, allocatable: resources },
        } as KubeObject)
        const taints = random.int(6) === 0 ? [{ key: 'soft', effect: 'PreferNoSchedule' }] : null
        await client.call({
          verb: 'patch',
          resource: 'nodes',
          name: `n${i}`,
          patch: { kind: 'merge', patch: { spec: { taints } } },
        })
      }
      const verdicts: ShadowVerdict[] = []
      const shadow = spawn(process.execPath, [
        resolve('bin/berth'),
        'run',
        '--shadow',
        '--kubeconfig',
        cluster.kubeconfig,
        '--metrics-bind-address',
        '0',
        '--kube-api-qps',
        '0',
      ])
      cluster.adopt(shadow)
      let rest = ''
      let log = ''
      let onVerdict = () => {}
      shadow.stdout.on('data', (chunk) => {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        verdicts.push(...lines.map((line) => JSON.parse(line) as ShadowVerdict))
        onVerdict()
      })
      shadow.stderr.on('data', (chunk) => {
        log += chunk
      })
      await eventually(
        'the shadow follows',
        () => log,
        (text) => text.includes('caches synced'),
      )
      await cluster.start('kube-scheduler')
      for (let i = 0; i < pods; i++) {
        await create('pods', randomPod(i))
        // One at a time: two binds in flight may arrive in another order than they were decided in.
        while (verdicts.length <= i)
          await new Promise<void>((resolve) => {
            onVerdict = resolve
          })
      }
      shadow.kill('SIGTERM')
      expect(await exitOf(shadow)).toBe(0)
      expect(verdicts.pop()).toEqual({ summary: { same: pods, sampled: 0, differs: 0, refused: 0 } })
      expect(verdicts.filter(({ verdict }) => verdict === 'differs' || verdict === 'refused')).toEqual([])
      expect(verdicts.filter(({ verdict }) => verdict === 'same').length).toBe(pods)
      expect(cluster.auditLog().filter(({ userAgent }) => userAgent === 'berth-run')).toEqual([])

      function randomPod(i: number): Pod {
        const app = random.pick(['web', 'db', 'cache'])
        const requests = { cpu: random.pick(['10m', '50m', '100m']), memory: random.pick(['32Mi', '64Mi', '128Mi']) }
        const spread = {
          maxSkew: 2,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app } },
        } as const
        const apart = {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 50,
                podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app } } },
              },
            ],
          },
        }
        const near = {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 20, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] } },
            ],
          },
        } as const
        return {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: `p-${i}`, namespace: 'default', labels: { app } },
          spec: {
            containers: [{ name: 'c', image: 'pause', resources: { requests } }],
            ...(random.int(3) === 0 ? { topologySpreadConstraints: [spread] } : {}),
            ...(random.int(2) === 0 ? { affinity: random.int(2) === 0 ? apart : near } : {}),
            ...(random.int(4) === 0 ? { nodeSelector: { disk: 'ssd' } } : {}),
          },
        }
      }
    })
  },
)
