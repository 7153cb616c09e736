import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/log.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { type ApiProcess, startApiProcess } from '../../src/controlplane/api-process.ts'
import { clusterRelease, kubectlFile, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing(['kube-apiserver'])
const version = `v${clusterRelease.version}`
const whose = kubectlFile() === 'kubectl' ? 'the kubectl of this machine' : `kubectl ${version}`

/** The groups and kinds of a release that docs/compatibility.md says berth does not serve. */
function undocumented(absent: readonly string[]): readonly string[] {
  const text = readFileSync('docs/compatibility.md', 'utf8')
  const start = text.indexOf('## Absent from the API')
  const rows = text
    .slice(start, text.indexOf('\n## ', start + 1))
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const column = ['1.34', '1.35', '1.36', '1.37'].indexOf(clusterRelease.minor) + 2
  const documented = new Set(
    rows.filter((cells) => cells[column] !== '–').flatMap(([, names = '']) => names.match(/[\w./-]+(?=`)/g) ?? []),
  )
  return absent.filter((name) => !documented.has(name))
}

describe.skipIf(reason !== undefined)(
  `discovery of berth and of kube-apiserver ${version} by ${whose}${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-discovery-'))
    const kubeconfig = join(folder, 'kubeconfig')
    let real: RealCluster
    let berth: ApiProcess
    beforeAll(async () => {
      real = await startRealCluster()
      berth = await startApiProcess({
        host: '127.0.0.1',
        port: 0,
        clock: new RealClock(),
        log: silentLogger,
        release: clusterRelease,
      })
      writeFileSync(kubeconfig, berth.kubeconfig)
    })
    afterAll(async () => {
      await berth?.close()
      await real?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    const lines = (text: string) => text.trim().split('\n').sort()
    // Not execFileSync: this process answers.
    const ours = async (...args: readonly string[]) => {
      const env = { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: join(folder, 'cache') }
      return lines((await promisify(execFile)(kubectlFile(), args, { env })).stdout)
    }
    const theirs = (...args: readonly string[]) =>
      lines(real.kubectl(...args, '--cache-dir', join(folder, 'real-cache')))
    const resources = ['api-resources', '--no-headers', '-o', 'wide']
    const nameOf = (line: string) =>
      line
        .split(/\s{2,}/)
        .slice(0, 1)
        .concat(/\S+\/v\S+|\bv1\b/.exec(line)?.[0] ?? '')
        .join(' ')
    const squeezed = (line: string) => line.replaceAll(/\s+/g, ' ').trim()

    it('lists the same resources with the same names, scopes, kinds, verbs and categories', async () => {
      const mine = await ours(...resources)
      const served = new Set(mine.map(nameOf))
      const wanted = theirs(...resources).filter((line) => served.has(nameOf(line)))
      expect(mine.map(squeezed)).toEqual(wanted.map(squeezed))
    })

    it('serves no version that the release does not serve, and documents the groups that are absent', async () => {
      const mine = await ours('api-versions')
      const wanted = theirs('api-versions')
      expect(mine.filter((one) => !wanted.includes(one))).toEqual([])
      expect(undocumented(wanted.filter((one) => !mine.includes(one)))).toEqual([])
    })

    it('documents the resources that are absent', async () => {
      const served = new Set((await ours(...resources)).map(nameOf))
      const groups = new Set(await ours('api-versions'))
      const absent = theirs(...resources)
        .filter((line) => !served.has(nameOf(line)) && groups.has(nameOf(line).split(' ')[1] ?? ''))
        .map((line) => nameOf(line).split(' ')[0] ?? '')
      expect(undocumented(absent)).toEqual([])
    })

    it('answers /version with the release', async () => {
      expect(await ours('get', '--raw', '/version')).toContain(`  "gitVersion": "${version}+berth",`)
    })
  },
)
