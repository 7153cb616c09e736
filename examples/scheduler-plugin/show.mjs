// Starts a cluster with the plugin, and shows what happens to a pod of team blue. Needs only Node.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const folder = mkdtempSync(join(tmpdir(), 'berth-plugin-example-'))
const up = ['up', '--ephemeral', '--port', '0', '--nodes', '2', '--data-dir', folder, '--plugin', 'team-nodes.ts']
const berth = spawn('berth', up, { stdio: ['ignore', 'pipe', 'inherit'] })
await new Promise((resolve, reject) => {
  berth.stdout.on('data', (text) => String(text).includes('Ctrl-C') && resolve())
  berth.on('exit', (code) => reject(new Error(`berth up ended with ${code}`)))
})

const { clusters, users } = JSON.parse(readFileSync(join(folder, 'kubeconfig'), 'utf8'))
const { server, 'certificate-authority-data': ca } = clusters[0].cluster
const { 'client-certificate-data': cert, 'client-key-data': key } = users[0].user
const pem = (base64) => Buffer.from(base64, 'base64')

function call(method, path, body, type = 'application/json') {
  const options = { method, ca: pem(ca), cert: pem(cert), key: pem(key), headers: { 'content-type': type } }
  return new Promise((resolve, reject) => {
    const sent = request(server + path, options, async (answer) => {
      const parts = []
      for await (const part of answer) parts.push(part)
      resolve(JSON.parse(Buffer.concat(parts).toString()))
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const label = (node, team) =>
  call(
    'PATCH',
    `/api/v1/nodes/${node}`,
    { metadata: { labels: { 'example.com/team': team } } },
    'application/merge-patch+json',
  )

async function podOnce(isSo) {
  for (;;) {
    const pod = await call('GET', '/api/v1/namespaces/default/pods/blue')
    if (isSo(pod)) return pod
    await pause(50)
  }
}

// New nodes have a taint until their kubelets report Ready.
for (;;) {
  const { items } = await call('GET', '/api/v1/nodes')
  if (items.length === 2 && items.every(({ spec }) => (spec.taints ?? []).length === 0)) break
  await pause(50)
}
await label('node-1', 'red')
await label('node-2', 'red')
await call('POST', '/api/v1/namespaces/default/pods', {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'blue', labels: { 'example.com/team': 'blue' } },
  spec: { containers: [{ name: 'c', image: 'registry.example/c:1' }] },
})
const waiting = await podOnce((pod) => pod.status.conditions?.some(({ reason }) => reason === 'Unschedulable'))
console.log(waiting.status.conditions.find(({ reason }) => reason === 'Unschedulable').message)

await label('node-2', 'blue')
const placed = await podOnce((pod) => pod.spec.nodeName !== undefined)
console.log(`blue is placed on ${placed.spec.nodeName}`)

berth.removeAllListeners('exit')
berth.once('exit', () => rmSync(folder, { recursive: true, force: true }))
berth.kill('SIGTERM')
