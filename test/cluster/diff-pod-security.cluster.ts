import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/log.ts'
import { createRandom, type RandomStream } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { type ApiProcess, startApiProcess } from '../../src/controlplane/api-process.ts'
import { defaultPodSecurity } from '../../src/registry/admission/pod-security/settings.ts'
import { likeBerth } from './diff-servers.ts'
import { buildParts, clusterRelease, missing, type RealCluster, startRealCluster } from './real-parts.ts'
import { type Asker, askerOf, shownReply } from './two-servers.ts'

const reason = missing(['kube-apiserver'])
const cases = 400

/** Labels of namespaces: levels, versions, and mistakes. */
const namespaces: readonly Readonly<Record<string, string>>[] = [
  { enforce: 'baseline' },
  { enforce: 'restricted' },
  { enforce: 'restricted', 'enforce-version': 'v1.18' },
  { enforce: 'baseline', 'enforce-version': 'v1.24', warn: 'restricted', 'warn-version': 'v1.30' },
  { warn: 'restricted' },
  { audit: 'restricted', warn: 'baseline' },
  { enforce: 'privileged' },
]

const some = <T>(draw: RandomStream, ...values: readonly T[]): T => draw.pick(values)

function context(draw: RandomStream, isPod: boolean): object {
  const parts: Record<string, unknown> = {}
  const maybe = (name: string, ...values: readonly unknown[]) => {
    if (draw.int(4) === 0) parts[name] = draw.pick(values)
  }
  maybe('runAsNonRoot', true, false)
  maybe('runAsUser', 0, 1000)
  maybe(
    'seccompProfile',
    { type: 'RuntimeDefault' },
    { type: 'Unconfined' },
    { type: 'Localhost', localhostProfile: 'x' },
  )
  maybe('appArmorProfile', { type: 'RuntimeDefault' }, { type: 'Unconfined' })
  maybe(
    'seLinuxOptions',
    { type: 'container_t' },
    { type: 'spc_t' },
    { user: 'u', role: 'r' },
    { type: 'container_engine_t' },
  )
  if (isPod)
    maybe(
      'sysctls',
      [{ name: 'net.ipv4.tcp_rmem', value: '1' }],
      [{ name: 'kernel.msgmax', value: '1' }],
      [{ name: 'net.ipv4.tcp_notsent_lowat', value: '1' }],
    )
  else {
    maybe('privileged', true, false)
    maybe('allowPrivilegeEscalation', true, false, false)
    maybe('procMount', 'Default', 'Unmasked')
    maybe(
      'capabilities',
      { add: ['NET_RAW', 'CHOWN'] },
      { drop: ['ALL'] },
      { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
      { add: ['SYS_ADMIN'], drop: ['ALL'] },
    )
  }
  // Escalation cannot be forbidden to what is privileged.
  if (parts['privileged'] === true) delete parts['allowPrivilegeEscalation']
  if (JSON.stringify(parts['capabilities'] ?? '').includes('SYS_ADMIN')) delete parts['allowPrivilegeEscalation']
  return parts
}

function container(draw: RandomStream, name: string): object {
  return {
    name,
    image: 'nginx',
    ...(draw.int(3) === 0 ? {} : { securityContext: context(draw, false) }),
    ...(draw.int(6) === 0 ? { ports: [{ containerPort: 80, hostPort: some(draw, 80, 8080) }] } : {}),
    ...(draw.int(8) === 0 ? { livenessProbe: { tcpSocket: { port: 80, host: some(draw, 'a', '127.0.0.1') } } } : {}),
  }
}

function podSpec(draw: RandomStream): object {
  const volumes = [
    { name: 'v', emptyDir: {} },
    { name: 'h', hostPath: { path: '/x' } },
    { name: 'n', nfs: { server: 's', path: '/p' } },
  ].filter(() => draw.int(4) === 0)
  return {
    containers: ['a', 'b'].slice(0, 1 + draw.int(2)).map((name) => container(draw, name)),
    ...(draw.int(4) === 0 ? { initContainers: [container(draw, 'i')] } : {}),
    ...(draw.int(2) === 0 ? { securityContext: context(draw, true) } : {}),
    ...(draw.int(8) === 0 ? { [some(draw, 'hostPID', 'hostIPC', 'hostNetwork')]: true } : {}),
    ...(draw.int(8) === 0 ? { hostUsers: false } : {}),
    volumes,
  }
}

describe.skipIf(reason !== undefined)(
  `PodSecurity, beside kube-apiserver${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let real: RealCluster
    let api: ApiProcess
    let ours: Asker & { close(): void }
    let theirs: Asker & { close(): void }

    beforeAll(async () => {
      buildParts(['kube-apiserver'])
      real = await startRealCluster({ apiServer: { ...likeBerth, 'disable-admission-plugins': 'ServiceAccount' } })
      const admission = { disabled: [], podSecurity: defaultPodSecurity }
      api = await startApiProcess({
        host: '127.0.0.1',
        port: 0,
        clock: new RealClock(),
        log: silentLogger,
        release: clusterRelease,
        admission,
      })
      ours = askerOf(api.kubeconfig)
      theirs = askerOf(real.kubeconfig)
      for (const [i, given] of namespaces.entries()) {
        const labels = Object.fromEntries(Object.entries(given).map(([k, v]) => [`pod-security.kubernetes.io/${k}`, v]))
        const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `ns-${i}`, labels } }
        for (const ask of [ours, theirs]) await ask('POST', '/api/v1/namespaces', body)
      }
    }, 120_000)

    afterAll(async () => {
      ours?.close()
      theirs?.close()
      await api?.close()
      await real?.close()
    })

    it('both API servers give the same answers to random pods and templates', async () => {
      const differences: unknown[] = []
      const verdicts = new Set<string>()
      for (let i = 0; i < cases; i++) {
        const draw = createRandom(`pod-security/${i}`).stream('case')
        const namespace = `ns-${draw.int(namespaces.length)}`
        const spec = podSpec(draw)
        const annotations =
          draw.int(8) === 0 ? { 'container.apparmor.security.beta.kubernetes.io/a': 'unconfined' } : {}
        const isPod = draw.int(3) > 0
        const metadata = { name: `x-${i}`, annotations }
        const selector = { matchLabels: { a: 'b' } }
        const template = { metadata: { labels: { a: 'b' }, annotations }, spec }
        const [path, body] = isPod
          ? [`/api/v1/namespaces/${namespace}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata, spec }]
          : [
              `/apis/apps/v1/namespaces/${namespace}/deployments`,
              { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: `x-${i}` }, spec: { selector, template } },
            ]
        const [a, b] = await Promise.all([ours, theirs].map((ask) => ask('POST', `${path}?dryRun=All`, body)))
        const [mine, upstream] = [a, b].map((reply) => {
          const {
            code,
            warnings,
            body: shown,
          } = shownReply(reply as never) as { code: number; warnings: unknown; body: { message?: string } }
          return { code, warnings, message: shown.message }
        })
        verdicts.add(JSON.stringify(upstream))
        if (JSON.stringify(mine) !== JSON.stringify(upstream)) differences.push({ body, mine, upstream })
      }
      expect(differences.slice(0, 5)).toEqual([])
      expect(verdicts.size).toBeGreaterThan(cases / 4)
    }, 120_000)

    it.each([
      { 'pod-security.kubernetes.io/enforce': 'strict' },
      { 'pod-security.kubernetes.io/warn-version': '1.2', 'pod-security.kubernetes.io/audit': 'x' },
    ])('both API servers reject a namespace with the labels %o', async (labels) => {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bad', labels } }
      const [a, b] = await Promise.all([ours, theirs].map((ask) => ask('POST', '/api/v1/namespaces', body)))
      expect(shownReply(a as never)).toEqual(shownReply(b as never))
    })

    it('both API servers give the same warnings about pods that violate a new level', async () => {
      const bad = { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] }
      for (const name of ['p1', 'p2', 'p3']) {
        const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: bad }
        for (const ask of [ours, theirs]) await ask('POST', '/api/v1/namespaces/ns-6/pods', body)
      }
      const patch = { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } }
      const send = (ask: Asker) => ask('PATCH', '/api/v1/namespaces/ns-6', patch, 'application/merge-patch+json')
      const [a, b] = [await send(ours), await send(theirs)]
      expect(a.warnings).toEqual(b.warnings)
      expect(b.warnings.length).toBeGreaterThan(1)
    })
  },
)
