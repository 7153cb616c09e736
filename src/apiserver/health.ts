import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../api/releases/release-of.ts'
import { indentedJson, json, methodNotAllowed, text } from './exchange.ts'
import type { EndpointHandler } from './handler.ts'

/** A named check of `/livez` and `/readyz`. Returns undefined if it passes, otherwise the failure. */
export interface HealthCheck {
  readonly name: string
  readonly check: () => string | undefined
  /** Part of `/readyz` only, such as the shutdown, during which a server is alive but not ready. */
  readonly readinessOnly?: boolean
}

/** The version that clients see: the release whose API is served. */
function serverVersion({ minor: release, version }: KubernetesRelease) {
  const [major = '', minor = ''] = release.split('.')
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: `v${version}+berth`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: '',
  }
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** The state of each check, as Kubernetes components expose it for service level indicators. */
function sliMetrics(checks: readonly HealthCheck[]): string {
  const name = 'kubernetes_healthcheck'
  const lines = [
    `# HELP ${name} [STABLE] This metric records the result of a single healthcheck.`,
    `# TYPE ${name} gauge`,
  ]
  for (const type of ['healthz', 'livez', 'readyz']) {
    for (const { name: check, check: run, readinessOnly } of checks) {
      if (type !== 'readyz' && readinessOnly === true) continue
      lines.push(`${name}{name="${check}",type="${type}"} ${run() === undefined ? 1 : 0}`)
    }
  }
  return `${lines.join('\n')}\n`
}

/**
 * Checks of kube-apiserver (v1.36) for parts that it starts in the background. Here all parts are started before the
 * first request is answered, so these checks cannot fail.
 */
export const startChecks: readonly HealthCheck[] = [
  'log',
  'etcd',
  ...[
    'start-apiserver-admission-initializer',
    'generic-apiserver-start-informers',
    'priority-and-fairness-config-consumer',
    'priority-and-fairness-filter',
    'storage-object-count-tracker-hook',
    'start-apiextensions-informers',
    'start-apiextensions-controllers',
    'crd-informer-synced',
    'start-system-namespaces-controller',
    'peer-endpoint-reconciler-controller',
    'start-cluster-authentication-info-controller',
    'start-kube-apiserver-identity-lease-controller',
    'start-kube-apiserver-identity-lease-garbage-collector',
    'storage-readiness',
    'start-legacy-token-tracking-controller',
    'start-service-ip-repair-controllers',
    'rbac/bootstrap-roles',
    'scheduling/bootstrap-system-priority-classes',
    'priority-and-fairness-config-producer',
    'bootstrap-controller',
    'start-kubernetes-service-cidr-controller',
    'start-kube-aggregator-informers',
    'apiservice-status-local-available-controller',
    'apiservice-status-remote-available-controller',
    'apiservice-registration-controller',
    'apiservice-discovery-controller',
    'kube-apiserver-autoregistration',
    'apiservice-openapi-controller',
    'apiservice-openapiv3-controller',
  ].map((name) => `poststarthook/${name}`),
  'autoregister-completion',
].map((name) => ({ name, check: () => undefined }))

const healthPaths = ['/healthz', '/livez', '/readyz']

/** Health checks are answered under any load. */
export const isProbe = (path: string) => healthPaths.some((root) => path === root || path.startsWith(`${root}/`))

export function createHealth(
  checks: readonly HealthCheck[],
  metrics: () => string,
  release: KubernetesRelease = defaultRelease,
): EndpointHandler {
  return (request) => {
    const { path, query } = request
    if (path === '/version' || path === '/version/') {
      return request.method === 'GET' ? indentedJson(serverVersion(release)) : json(405, methodNotAllowed.status)
    }
    if (path === '/metrics/slis') return text(200, sliMetrics(checks), { 'content-type': metricsType })
    if (path === '/metrics') return text(200, metrics(), { 'content-type': metricsType })
    const root = healthPaths.find((each) => path === each || path.startsWith(`${each}/`))
    if (root === undefined) return undefined
    const one = path.slice(root.length + 1)
    const excluded = new Set(query.getAll('exclude'))
    const asked = root === '/readyz' ? checks : checks.filter(({ readinessOnly }) => readinessOnly !== true)
    const chosen = asked.filter(({ name }) => (one === '' ? !excluded.has(name) : name === one))
    if (one !== '' && chosen.length === 0) return text(404, '404 page not found\n')
    const results = chosen.map(({ name, check }) => ({ name, problem: check() }))
    const healthy = results.every(({ problem }) => problem === undefined)
    if (healthy && !query.has('verbose')) return text(200, 'ok')
    const lines = results.map(({ name, problem }) =>
      problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`,
    )
    const skipped = [...excluded].map((name) => `[+]${name} excluded: ok`)
    const verdict = `${root.slice(1)} check ${healthy ? 'passed' : 'failed'}`
    return text(healthy ? 200 : 500, `${[...lines, ...skipped, verdict].join('\n')}\n`)
  }
}
