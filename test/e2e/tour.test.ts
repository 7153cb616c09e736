import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const kubectlIsThere = spawnSync('kubectl', ['version', '--client']).status === 0
const isBuilt = existsSync('dist/cli.js')

/** The tour of the README with the real kubectl and the built command. Flags of upstream shorten the timers. */
describe.runIf(kubectlIsThere && isBuilt)('a tour of berth up (needs kubectl)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-tour-'))
  const dataDir = join(folder, 'cluster')
  let berth: ChildProcess
  const up = () =>
    new Promise<ChildProcess>((resolve, reject) => {
      const flags = ['--node-monitor-period', '1s', '--node-monitor-grace-period', '4s', '--node-eviction-rate', '10']
      // Four nodes of 4 cores in two zones; Leases are renewed often enough for the short grace period.
      const shape = ['--nodes', '4', '--node-shape', 'cpu=4,memory=8Gi,zones=2', '--lease-renew-interval', '1s']
      const child = spawn(
        process.execPath,
        ['bin/berth', 'up', '--port', '0', '--data-dir', dataDir, ...shape, ...flags],
        { stdio: ['ignore', 'pipe', 'pipe'] },
      )
      let said = ''
      const listen = (chunk: Buffer) => {
        said += String(chunk)
        if (said.includes('Ctrl-C stops')) resolve(child)
      }
      child.stdout.on('data', listen)
      child.stderr.on('data', listen)
      child.on('exit', (code) => reject(new Error(`berth up ended with ${code}: ${said}`)))
    })
  const run = (command: string, args: readonly string[], input?: string) => {
    const { status, stdout, stderr } = spawnSync(command, args, {
      encoding: 'utf8',
      ...(input === undefined ? {} : { input }),
      timeout: 60_000,
    })
    return { status, out: stdout + stderr }
  }
  const kubectl = (line: string, input?: string) =>
    run('kubectl', ['--kubeconfig', join(dataDir, 'kubeconfig'), ...line.split(' ')], input)
  const berthDo = (line: string) => run(process.execPath, ['bin/berth', ...line.split(' '), '--data-dir', dataDir])
  const must = (line: string, input?: string) => {
    const { status, out } = kubectl(line, input)
    if (status !== 0) throw new Error(`kubectl ${line}: ${out}`)
    return out
  }
  const eventually = async (what: string, read: () => string, holds: (text: string) => boolean, seconds = 30) => {
    const until = Date.now() + seconds * 1000
    let last = ''
    while (Date.now() < until) {
      last = read()
      if (holds(last)) return last
      await new Promise((next) => setTimeout(next, 200))
    }
    throw new Error(`${what}: not within ${seconds} s; last seen: ${last}`)
  }
  /** The pods that are not terminating. */
  const table = (selector: string) => {
    const list = JSON.parse(must(`get pods -l ${selector} -o json`)) as {
      items: {
        metadata: { name: string; deletionTimestamp?: string }
        spec: { nodeName?: string; containers: { image: string }[] }
        status: { phase: string }
      }[]
    }
    return list.items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, spec, status }) => ({
        name: metadata.name,
        node: spec.nodeName,
        image: spec.containers[0]?.image,
        phase: status.phase,
      }))
  }
  const running = (selector: string, count: number) =>
    eventually(
      `${count} of ${selector} run`,
      () => JSON.stringify(table(selector)),
      (text) => {
        const all = JSON.parse(text) as ReturnType<typeof table>
        return all.length === count && all.every(({ phase }) => phase === 'Running')
      },
    )

  beforeAll(async () => {
    berth = await up()
  }, 60_000)
  afterAll(() => {
    berth?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  const deployment = (name: string, replicas: number, more: object = {}, cpu = '200m') =>
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: {
            terminationGracePeriodSeconds: 1,
            containers: [{ name: 'c', image: 'nginx:1', resources: { requests: { cpu } } }],
            ...more,
          },
        },
      },
    })

  it('spreads a deployment over the nodes', { timeout: 60_000 }, async () => {
    must('apply -f -', deployment('web', 4))
    must('rollout status deployment/web --timeout=30s')
    await running('app=web', 4)
    expect(new Set(table('app=web').map(({ node }) => node)).size).toBe(4)
    expect(must('get nodes')).toMatch(/node-1 +Ready/)
    expect(must('get node node-1 -o jsonpath={.spec.podCIDR}')).toMatch(/^10\./)
  })

  it('lists evictions in advance, evicts after tolerationSeconds, and replaces the pods on other nodes', {
    timeout: 60_000,
  }, async () => {
    const tolerations = [{ key: 'maintenance', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 }]
    must('apply -f -', deployment('patient', 4, { tolerations }))
    await running('app=patient', 4)
    must('cordon node-1')
    must('taint node node-1 maintenance=now:NoExecute')
    expect(berthDo('evictions').out).toMatch(/default\/patient-\S+ +node-1 .*tolerated for 10s/)
    await eventually(
      'no pod is left on the node',
      () => JSON.stringify(table('app=patient')),
      (text) => !text.includes('"node-1"'),
    )
    await running('app=patient', 4)
    must('taint node node-1 maintenance-')
    must('uncordon node-1')
    must('delete deployment patient')
  })

  it('detects a silent node, evicts its pods, and uses it again after its return', { timeout: 90_000 }, async () => {
    const tolerations = ['not-ready', 'unreachable'].map((name) => ({
      key: `node.kubernetes.io/${name}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 2,
    }))
    must('apply -f -', deployment('nervous', 4, { tolerations }))
    await running('app=nervous', 4)
    expect(berthDo('node silence node-2').out).toContain('node/node-2 silenced')
    await eventually(
      'it is not ready',
      () => must('get node node-2'),
      (text) => text.includes('NotReady'),
    )
    await eventually(
      'it is tainted',
      () => must('get node node-2 -o jsonpath={.spec.taints}'),
      (text) => /unreachable.*NoExecute|NoExecute.*unreachable/.test(text),
    )
    await eventually(
      'its pods are replaced',
      () => JSON.stringify(table('app=nervous')),
      (text) => !text.includes('"node-2"') && (JSON.parse(text) as unknown[]).length === 4,
    )
    berthDo('node revive node-2')
    await eventually(
      'it is back',
      () => must('get node node-2') + must('get node node-2 -o jsonpath={.spec.taints}'),
      (text) => / Ready/.test(text) && !text.includes('unreachable'),
    )
    must('delete deployment nervous')
  })

  it('preempts pods of lower priority', { timeout: 60_000 }, async () => {
    must('apply -f -', deployment('filler', 4, {}, '3'))
    await running('app=filler', 4)
    must('create priorityclass high --value=1000')
    must('apply -f -', deployment('important', 1, { priorityClassName: 'high' }, '3'))
    await running('app=important', 1)
    await eventually(
      'one of the others waits',
      () => berthDo('queue').out,
      (text) => /default\/filler-\S+ +(unschedulable|backoff)/.test(text),
    )
    expect(must('get events')).toMatch(/Preempted/)
    must('delete deployment filler important')
  })

  it('drains a node, unless a disruption budget blocks it', { timeout: 90_000 }, async () => {
    await running('app=web', 4)
    must('create pdb web --selector=app=web --min-available=4')
    await eventually(
      'the budget is counted',
      () => must('get pdb web -o jsonpath={.status.currentHealthy}'),
      (text) => text === '4',
    )
    const [victim] = table('app=web')
    const refused = kubectl(`drain ${victim?.node} --ignore-daemonsets --timeout=3s`)
    expect(refused.status).not.toBe(0)
    expect(refused.out).toContain("Cannot evict pod as it would violate the pod's disruption budget")
    must('scale deployment web --replicas=6')
    await eventually(
      'there is room',
      () => must('get pdb web -o jsonpath={.status.disruptionsAllowed}'),
      (text) => text === '2',
    )
    must(`drain ${victim?.node} --ignore-daemonsets --timeout=30s`)
    expect(table('app=web').some(({ node }) => node === victim?.node)).toBe(false)
    must(`uncordon ${victim?.node}`)
    must('delete pdb web')
  })

  it('finishes a rollout after kill -9 without lost or duplicate pods', { timeout: 90_000 }, async () => {
    must('scale deployment web --replicas=8')
    must('set image deployment/web c=nginx:2')
    berth.removeAllListeners('exit')
    berth.kill('SIGKILL')
    await new Promise((ended) => berth.on('exit', ended))
    berth = await up()
    must('rollout status deployment/web --timeout=60s')
    await running('app=web', 8)
    const images = table('app=web').map(({ image }) => image)
    expect(images).toEqual(Array(8).fill('nginx:2'))
  })

  it('stops the cluster with berth down', { timeout: 30_000 }, () => {
    expect(berthDo('status').status).toBe(0)
    berth.removeAllListeners('exit')
    expect(berthDo('down').out).toContain('stopped')
    expect(berthDo('status').status).toBe(1)
  })
})
