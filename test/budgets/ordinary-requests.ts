import type { Attack } from './attack.ts'
import { attackNamespace } from './attack.ts'
import type { AttackConnection } from './server-process.ts'

const json = { 'content-type': 'application/json' }
const create = (path: string, object: Readonly<Record<string, unknown>>): Attack => ({
  name: `create ${path}`,
  method: 'POST',
  path,
  headers: json,
  body: JSON.stringify(object),
})
const get = (path: string, headers: Readonly<Record<string, string>> = {}): Attack => ({
  name: `get ${path}`,
  method: 'GET',
  path,
  headers,
})

const home = '/api/v1/namespaces/ordinary'
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'nginx:1.27', resources: { requests: { cpu: '100m', memory: '1Gi' } } }] },
}

/** The objects that exist before the first attack. */
export const furniture: readonly Attack[] = [
  create('/api/v1/namespaces', { metadata: { name: attackNamespace } }),
  create('/api/v1/namespaces', { metadata: { name: 'ordinary' } }),
  create('/api/v1/nodes', { metadata: { name: 'ordinary' }, spec: { podCIDR: '10.0.0.0/24' } }),
  create(`${home}/pods`, pod),
  create(`${home}/configmaps`, { metadata: { name: 'settings' }, data: { color: 'blue' } }),
]

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }

/** Requests whose answers no attack may change. */
const requests: readonly Attack[] = [
  get('/version'),
  get('/readyz'),
  get('/api'),
  get('/apis/apps/v1'),
  get(`${home}/pods/web`),
  get(`${home}/pods?labelSelector=app%3Dweb`, table),
  get(`${home}/pods?fieldSelector=metadata.name%3Dweb`),
  get(`${home}/configmaps/settings`),
  get(`${home}/configmaps/absent`),
  create(`${home}/pods?dryRun=All`, { ...pod, metadata: { name: 'second' } }),
  create(`${home}/pods?dryRun=All`, { ...pod, metadata: { name: 'Not_A_Name' } }),
  {
    name: 'patch a label, dry run',
    method: 'PATCH',
    path: `${home}/pods/web?dryRun=All`,
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: JSON.stringify({ metadata: { labels: { tier: 'front' } } }),
  },
]

/** The answers in order, without what differs from time to time. */
export async function ordinaryAnswers(connection: AttackConnection): Promise<readonly string[]> {
  const answers: string[] = []
  for (const request of requests) {
    const { code, text, error = '' } = await connection.send(request)
    answers.push(`${request.name}: ${code} ${error}${steady(text)}`)
  }
  return answers
}

function steady(text: string): string {
  return text
    .replaceAll(/"(resourceVersion|uid|creationTimestamp|time)":\s*"[^"]*"/g, '"$1":"…"')
    .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-…')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS')
    .replaceAll(/"\d+(s|m|h|m\d+s)"/g, '"AGE"')
}
