import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/log.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { type ApiProcess, startApiProcess } from '../../src/controlplane/api-process.ts'

const go = spawnSync('go', ['version']).status === 0
const python = spawnSync('/usr/bin/python3', ['-c', 'import kubernetes']).status === 0

const pythonProgram = `
import sys
from kubernetes import client, config, watch
config.load_kube_config(sys.argv[1])
core = client.CoreV1Api()
body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="py"), data={"a": "1"})
core.create_namespaced_config_map("default", body)
print([m.metadata.name for m in core.list_namespaced_config_map("default").items])
core.patch_namespaced_config_map("py", "default", {"data": {"b": "2"}})
print(core.read_namespaced_config_map("py", "default").data)
for event in watch.Watch().stream(core.list_namespaced_config_map, "default", timeout_seconds=2):
    print(event["type"], event["object"].metadata.name)
core.delete_namespaced_config_map("py", "default")
print(len(core.list_namespaced_config_map("default").items))
`

describe('clients of other projects', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-foreign-'))
  const kubeconfig = join(folder, 'kubeconfig')
  let api: ApiProcess
  beforeAll(async () => {
    api = await startApiProcess({ host: '127.0.0.1', port: 0, clock: new RealClock(), log: silentLogger })
    writeFileSync(kubeconfig, api.kubeconfig)
  })
  afterAll(async () => {
    await api.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const run = (command: string, args: readonly string[], cwd: string) =>
    new Promise<{ code: number | null; out: string }>((done) => {
      const child = spawn(command, args, { cwd })
      let out = ''
      let errors = ''
      child.stdout.on('data', (chunk) => {
        out += chunk
      })
      // Go's libraries log here what they are about to do.
      child.stderr.on('data', (chunk) => {
        errors += chunk
      })
      child.on('close', (code) => done({ code, out: code === 0 ? out : out + errors }))
    })

  it.skipIf(!go)('client-go: a shared informer and leader election (skipped where Go is not installed)', async () => {
    const { code, out } = await run('go', ['run', './foreign', kubeconfig], resolve('test/cluster'))
    expect(out).toBe('leading\nadd go\nupdate go\ndelete go\ndone\n')
    expect(code).toBe(0)
  })

  it.skipIf(!python)(
    'the Python client: create, list, patch, watch, delete (skipped where python3-kubernetes is not installed)',
    async () => {
      const { out } = await run('/usr/bin/python3', ['-c', pythonProgram, kubeconfig], folder)
      expect(out).toBe("['py']\n{'a': '1', 'b': '2'}\nADDED py\n0\n")
    },
  )
})
