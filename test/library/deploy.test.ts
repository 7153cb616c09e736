// The other installable parts: dashboards, alert rules, the Helm chart, the CI action and the hook.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { fileLimits, loadYaml } from '../../src/base/yaml.ts'
import { root } from '../tidy/project.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-deploy-'))
const kubeconfig = join(folder, 'kubeconfig')
const berth = join(root, 'bin/berth')
let cluster: ChildProcess

beforeAll(async () => {
  const args = [
    'up',
    '--ephemeral',
    '--port',
    '0',
    '--nodes',
    '2',
    '--data-dir',
    folder,
    '--cluster-cidr',
    '10.0.0.0/16',
  ]
  cluster = spawn(process.execPath, [berth, ...args, '--allocate-node-cidrs', 'true'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((ready, failed) => {
    cluster.stdout?.on('data', (text) => String(text).includes('Ctrl-C') && ready())
    cluster.once('exit', (code) => failed(new Error(`berth up ended with ${code}`)))
  })
})
afterAll(async () => {
  const ended = new Promise((resolve) => cluster.once('exit', resolve))
  cluster.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
})

/** A request with the credentials of the kubeconfig. */
function call(path: string, method = 'GET', body?: unknown): Promise<string> {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8'))
  const pem = (text: string) => Buffer.from(text, 'base64')
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster
  const { 'client-certificate-data': cert, 'client-key-data': key } = users[0].user
  const headers = { 'content-type': 'application/json' }
  const options = { method, ca: pem(ca), cert: pem(cert), key: pem(key), headers }
  return new Promise((resolve, reject) => {
    const sent = request(server + path, options, async (answer) => {
      const parts: Buffer[] = []
      for await (const part of answer) parts.push(part as Buffer)
      resolve(Buffer.concat(parts).toString())
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const pod = (name: string, cpu: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'nginx', resources: { requests: { cpu } } }] },
})

/** The expressions of a dashboard or of alert rules. */
function expressionsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(expressionsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'expr' ? [member as string] : expressionsIn(member),
  )
}

const functions = new Set(['sum', 'max', 'rate', 'histogram_quantile', 'by', 'le'])
const metricsIn = (expression: string) => [
  ...new Set(
    [...expression.replaceAll(/\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, '').matchAll(/[a-z_][a-z0-9_]*/g)]
      .map(([name]) => name)
      .filter((name) => !functions.has(name) && !/^\d/.test(name)),
  ),
]

describe('deploy/monitoring', () => {
  const files = readdirSync(join(root, 'deploy/monitoring'))

  test('names only metrics and labels that berth serves', async () => {
    await call('/api/v1/namespaces/default/pods', 'POST', pod('fits', '1'))
    await call('/api/v1/namespaces/default/pods', 'POST', pod('never-fits', '100'))
    const hasRejected = async () => /^scheduler_unschedulable_pods\{/m.test(await call('/metrics'))
    await expect.poll(hasRejected, { timeout: 20_000 }).toBe(true)
    const served = await call('/metrics')
    const types = new Set([...served.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
    expect(files.length).toBeGreaterThanOrEqual(4)
    const wrong: string[] = []
    for (const file of files) {
      const text = readFileSync(join(root, 'deploy/monitoring', file), 'utf8')
      const expressions = expressionsIn(file.endsWith('.json') ? JSON.parse(text) : loadYaml(text, fileLimits))
      expect(expressions.length).toBeGreaterThan(0)
      for (const expression of expressions) {
        const metrics = metricsIn(expression)
        if (metrics.length === 0) wrong.push(`${file}: no metric in ${expression}`)
        for (const metric of metrics) {
          const name = metric.replace(/_bucket$/, '')
          if (!types.has(name)) wrong.push(`${file}: ${metric} is not served`)
          const series = served.split('\n').filter((line) => line.startsWith(`${metric}{`))
          const labels = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => (list ?? '').split(/, */))
          for (const label of labels) {
            if (series.length > 0 && !series.some((line) => line.includes(`${label}="`)))
              wrong.push(`${file}: ${metric} has no label ${label}`)
          }
        }
      }
    }
    expect(wrong).toEqual([])
  })
})

interface Monitored extends KubeObject {
  readonly spec?: {
    readonly podMetricsEndpoints: readonly { readonly authorization: { readonly credentials: object } }[]
  }
}

const helm = [
  process.env['HELM'],
  join(homedir(), '.cache/berth-helm/helm'),
  '/usr/local/bin/helm',
  '/usr/bin/helm',
].find((path) => path !== undefined && existsSync(path))

describe.skipIf(helm === undefined)('deploy/chart (skipped where Helm is not installed: set HELM)', () => {
  const run = (...args: readonly string[]) => {
    const env = {
      ...process.env,
      KUBECONFIG: kubeconfig,
      HELM_CACHE_HOME: folder,
      HELM_CONFIG_HOME: folder,
      HELM_DATA_HOME: folder,
    }
    const { status, stdout, stderr } = spawnSync(helm as string, args, { encoding: 'utf8', env, cwd: root })
    return { status, output: `${stdout}${stderr}`, stdout }
  }
  const chart = 'deploy/chart'

  test('has no findings of helm lint', () => {
    expect(run('lint', '--strict', chart)).toMatchObject({ status: 0 })
  })

  test.each([
    ['berth run', []],
    ['berth run with all controllers', ['--set', 'controllers={scheduler,node-lifecycle,taint-eviction}']],
    ['berth up', ['--set', 'mode=up']],
  ])('installs %s on a cluster, which accepts every object, upgrades and uninstalls it', async (_, set) => {
    const installed = run('install', 'berth', chart, '--namespace', 'kube-system', ...set)
    expect(installed).toMatchObject({ status: 0 })
    const { spec } = JSON.parse(await call('/apis/apps/v1/namespaces/kube-system/deployments/berth'))
    const [container] = spec.template.spec.containers
    expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 })
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    expect(container.livenessProbe.httpGet).toMatchObject({ path: '/livez', scheme: 'HTTPS' })
    const policy = JSON.parse(await call('/apis/networking.k8s.io/v1/namespaces/kube-system/networkpolicies/berth'))
    expect(policy.spec.policyTypes).toEqual(['Ingress'])
    // Every argument is one that the command knows.
    const help = spawnSync(process.execPath, [berth, container.args[0], '--help'], { encoding: 'utf8' }).stdout
    for (const argument of container.args.slice(1)) expect(help).toContain(argument.split('=')[0])
    const priority = ['--set', 'priorityClassName=system-cluster-critical']
    const upgrade = ['upgrade', 'berth', chart, '--namespace', 'kube-system', '--reuse-values', ...priority]
    expect(run(...upgrade, '--wait', '--timeout', '60s')).toMatchObject({ status: 0 })
    const later = JSON.parse(await call('/apis/apps/v1/namespaces/kube-system/deployments/berth'))
    expect(later.spec.template.spec.priorityClassName).toBe('system-cluster-critical')
    expect(later.status.updatedReplicas).toBe(later.spec.replicas)
    expect(run('uninstall', 'berth', '--namespace', 'kube-system', '--wait')).toMatchObject({ status: 0 })
  })

  test('has a PodMonitor on request, and rejects an unknown mode', () => {
    const monitored = run('template', 'x', chart, '--kube-version', '1.36.0', '--set', 'podMonitor.enabled=true')
    const objects = (loadYaml(monitored.stdout, fileLimits) as readonly KubeObject[]).filter(
      (object) => object !== null,
    )
    const named = (kind: string) => objects.filter((object) => object.kind === kind) as readonly Monitored[]
    expect(named('PodMonitor')[0]?.spec?.podMetricsEndpoints[0]?.authorization.credentials).toEqual({
      name: 'x-metrics',
      key: 'token',
    })
    expect(named('Secret')[0]?.metadata).toMatchObject({
      name: 'x-metrics',
      annotations: { 'kubernetes.io/service-account.name': 'x-metrics' },
    })
    expect(named('ClusterRole').at(-1)).toMatchObject({ rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] })
    const up = run(
      'template',
      'x',
      chart,
      '--kube-version',
      '1.36.0',
      '--set',
      'podMonitor.enabled=true',
      '--set',
      'mode=up',
    )
    expect(up.output).toContain('podMonitor needs mode run')
    const wrong = run('template', 'x', chart, '--kube-version', '1.36.0', '--set', 'mode=down')
    expect(wrong.output).toContain('mode must be run or up')
  })
})

describe('the CI action and the hook', () => {
  const manifest = join(folder, 'web.yaml')
  const from = join(root, 'docs/how-to/cluster.json')
  const env = (more: Readonly<Record<string, string>>) => ({
    ...process.env,
    BERTH: `${process.execPath} ${berth}`,
    ...more,
  })
  beforeAll(() => {
    writeFileSync(manifest, JSON.stringify({ ...pod('web', '1'), metadata: { name: 'web', namespace: 'default' } }))
  })

  test('the action posts the forecast as a comment, and reports the verdict', () => {
    const calls = join(folder, 'gh-calls')
    const gh = join(folder, 'gh')
    writeFileSync(gh, `#!/bin/sh\necho "$@" > ${calls}\ncat "\${9}" "\${10}" >> ${calls} 2>/dev/null\nexit 0\n`)
    chmodSync(gh, 0o755)
    const output = join(folder, 'output')
    const summary = join(folder, 'summary')
    const { status, stderr } = spawnSync('bash', [join(root, 'scripts/forecast-comment.sh')], {
      encoding: 'utf8',
      env: env({
        PATH: `${folder}:${process.env['PATH']}`,
        BERTH_FROM: from,
        BERTH_MANIFESTS: manifest,
        BERTH_FAIL_ON: 'unsafe',
        BERTH_UNTIL: '10m',
        BERTH_COMMENT: 'true',
        BERTH_PULL_REQUEST: '7',
        BERTH_REPOSITORY: 'example/web',
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
      }),
    })
    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(readFileSync(output, 'utf8')).toMatch(/^verdict=(SAFE|DEGRADED|BLOCKED|UNSAFE)\n$/)
    expect(readFileSync(summary, 'utf8')).toContain('web')
    expect(readFileSync(calls, 'utf8')).toContain(
      'pr comment 7 --repo example/web --edit-last --create-if-none --body-file',
    )
  })

  test('action.yml runs that script with every variable it reads', () => {
    const action = readFileSync(join(root, 'action.yml'), 'utf8')
    const script = readFileSync(join(root, 'scripts/forecast-comment.sh'), 'utf8')
    for (const [, name] of script.matchAll(/\$\{?(BERTH\w*)/g)) expect(action).toMatch(new RegExp(`^ +${name}: `, 'm'))
  })

  test('the hook forecasts manifests, and skips other files', () => {
    const other = join(folder, 'other.json')
    writeFileSync(other, '{"a":1}')
    const run = (...args: readonly string[]) =>
      spawnSync('bash', [join(root, 'scripts/forecast-hook.sh'), ...args], { encoding: 'utf8', env: env({}) })
    expect(run(`--from=${from}`, manifest, other)).toMatchObject({ status: 0, stdout: expect.stringMatching(/web/) })
    const kustomization = join(folder, 'kustomization.yaml')
    writeFileSync(
      kustomization,
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [web.yaml]\n',
    )
    const template = join(folder, 'template.yaml')
    writeFileSync(template, '{{- if .Values.enabled }}\nkind: Service\n{{- end }}\n')
    const skipped = run(`--from=${from}`, kustomization, template)
    expect(skipped).toMatchObject({ status: 0, stdout: '' })
    expect(skipped.stderr.match(/is skipped: build it first, with kubectl kustomize or helm template/g)).toHaveLength(2)
    expect(run(manifest)).toMatchObject({ status: 2, stderr: expect.stringContaining('--from=SNAPSHOT') })
  })
})
