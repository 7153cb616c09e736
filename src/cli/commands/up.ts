import { homedir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { RealClock } from '../../base/real-clock.ts'
import { createHollowKubelet } from '../../controllers/hollow-kubelet/controller.ts'
import { packs } from '../../controllers/hollow-kubelet/packs.ts'
import { isLoopback } from '../../controlplane/api-process.ts'
import { controllerFactories } from '../../controlplane/controllers.ts'
import { type EmbeddedCluster, startEmbedded } from '../../controlplane/embedded.ts'
import { defaultShape, hollowNodes, parseNodeShape } from '../../controlplane/hollow-nodes.ts'
import { standardStorageClass } from '../../controlplane/hollow-storage.ts'
import { narrowDataDirectory } from '../../store/journal/folder.ts'
import { removeRecord, runningCluster, writeRecord } from '../cluster-files.ts'
import {
  choice,
  defineCommand,
  exitCodes,
  flag,
  integer,
  type Ports,
  parsed,
  repeated,
  text,
  wrongQuestion,
} from '../command.ts'
import { consoleOracles } from '../console/oracles.ts'
import { controlPlaneOptions, defaultDataDir, settingsOf } from '../control-plane-options.ts'
import { demoObjects, demoPods } from '../demo.ts'
import { duration } from '../durations.ts'
import { mergeKubeconfig } from '../kubeconfig-merge.ts'
import { logLevels, openLog } from '../log-file.ts'
import { choosePalette, type Palette } from '../output.ts'
import { readStages } from '../stage-files.ts'
import { explained, writeKubeconfig } from './apiserver.ts'

export const command = defineCommand({
  name: 'up',
  summary: 'A living cluster in one command: API server, control plane and hollow nodes',
  description:
    'Starts an API server, the scheduler and the controllers in this process, with hollow nodes whose pods pretend to run. ' +
    'Everything is kept in the data directory: the next start goes on where this one stopped. Ctrl-C stops it.',
  args: [],
  options: {
    nodes: integer({ summary: 'hollow nodes to make when the cluster has none', default: 5, min: 0, max: 20_000 }),
    nodeShape: parsed({
      summary: 'what they are like: cpu=8,memory=32Gi,zones=3',
      value: 'SHAPE',
      parse: parseNodeShape,
      shown: 'cpu=8,memory=32Gi,zones=3',
      default: defaultShape,
    }),
    pack: choice({
      summary: 'how hollow kubelets behave',
      choices: Object.keys(packs) as (keyof typeof packs)[],
      default: 'fast' as keyof typeof packs,
    }),
    stages: repeated({
      summary: 'behaviour of your own, a YAML file of kind Stage; it goes before that of the pack',
      value: 'FILE',
    }),
    leaseRenewInterval: duration('how often hollow kubelets renew their Leases', 10_000),
    demo: flag({ summary: 'put some deployments into an empty cluster' }),
    dataDir: text({ summary: 'where everything is kept', value: 'DIR', default: defaultDataDir }),
    ephemeral: flag({ summary: 'keep objects in memory only' }),
    bindAddress: text({ summary: 'address to listen on', value: 'ADDRESS', default: '127.0.0.1' }),
    port: integer({ summary: 'port to listen on, 0 for a free one', default: 6443, min: 0, max: 65535 }),
    kubeconfig: text({
      summary: 'where to write the kubeconfig (default: kubeconfig in the data directory)',
      value: 'FILE',
    }),
    mergeKubeconfig: flag({ summary: 'add the cluster to ~/.kube/config and make it the current context' }),
    authorizationMode: choice({
      summary: 'RBAC, or every authenticated client may do everything',
      choices: ['AlwaysAllow', 'RBAC'],
      default: 'AlwaysAllow',
    }),
    logLevel: choice({
      summary: 'how much goes to berth.log in the data directory',
      choices: logLevels,
      default: 'info',
    }),
    seed: text({ summary: 'makes ties and names repeatable', value: 'TEXT' }),
    ...controlPlaneOptions,
  },
  examples: [
    { command: 'berth up', summary: 'Five hollow nodes in three zones, on 127.0.0.1:6443' },
    { command: 'berth up --nodes 100 --node-shape cpu=16,memory=64Gi,zones=4', summary: 'A larger one' },
    { command: 'berth up --demo --merge-kubeconfig', summary: 'With something in it, and kubectl pointed at it' },
    {
      command: 'berth up --behavior improved --node-monitor-grace-period 20s',
      summary: 'With the faults of v1.36 mended',
    },
  ],
  run: async ({ options, stdout, stderr, cwd, env, files, now, interruption }) => {
    const dir = resolve(cwd, options.dataDir)
    const other = await runningCluster(files, dir)
    if (other !== undefined)
      throw wrongQuestion(
        `a cluster already runs in ${options.dataDir} (process ${other.pid}, ${other.url}): stop it with berth down, or choose another --data-dir`,
      )
    for (const correction of narrowDataDirectory(dir)) stderr.write(`berth: warning: ${correction}\n`)
    const settings = await settingsOf(options, files, cwd)
    const log = await openLog(options.logLevel, join(dir, 'berth.log')).catch((error: NodeJS.ErrnoException) => {
      throw explained(error, options.bindAddress, options.port)
    })
    if (!isLoopback(options.bindAddress))
      stderr.write(`berth: warning: listening on ${options.bindAddress}, which other machines can reach\n`)
    const clock = new RealClock()
    const hollow = {
      stages: [...(await readStages(options.stages, { files, cwd })), ...packs[options.pack]],
      leaseRenewIntervalMs: options.leaseRenewInterval,
      stopWithinMs: 1_000,
    }
    const cluster = await startEmbedded({
      ...(options.ephemeral ? {} : { dataDir: dir }),
      host: options.bindAddress,
      port: options.port,
      authorizationMode: options.authorizationMode,
      clock,
      log,
      settings,
      controllers: Object.keys(controllerFactories),
      ...(options.seed === undefined ? {} : { seed: options.seed }),
      more: () => [createHollowKubelet({ serves: 'labelled', spread: true, ...hollow })],
      console: ({ registry }) =>
        consoleOracles({
          store: registry.store,
          settings,
          hollow,
          pluginFiles: options.plugin.map((file) => resolve(cwd, file)),
          now: () => clock.wall(),
        }),
    }).catch((error: NodeJS.ErrnoException) => {
      throw explained(error, options.bindAddress, options.port)
    })
    const empty = cluster.api.registry.store.count('nodes') === 0
    if (empty)
      furnish(cluster, [
        { resource: 'storageclasses.storage.k8s.io', object: standardStorageClass },
        ...hollowNodes(options.nodes, options.nodeShape).map((object) => ({ resource: 'nodes', object })),
        ...(options.demo ? demoObjects : []),
      ])
    const kubeconfig = resolve(cwd, options.kubeconfig ?? join(dir, 'kubeconfig'))
    await writeKubeconfig(kubeconfig, cluster.api.kubeconfig, () => cluster.close())
    if (options.mergeKubeconfig)
      await mergeKubeconfig(files, join(env['HOME'] ?? homedir(), '.kube', 'config'), cluster.api.kubeconfig)
    await writeRecord(dir, {
      pid: process.pid,
      url: cluster.api.server.url,
      kubeconfig,
      startedAt: new Date(now()).toISOString(),
      scheduler: {
        behavior: options.behavior,
        fix: options.fix,
        ...(options.schedulerConfig === undefined ? {} : { schedulerConfig: resolve(cwd, options.schedulerConfig) }),
        plugin: options.plugin.map((file) => resolve(cwd, file)),
      },
    })
    const shown = relative(cwd, kubeconfig)
    stdout.write(
      welcome(cluster, {
        pods: empty && options.demo ? `${demoPods} pods` : counted(cluster, 'pods'),
        kubeconfig: options.mergeKubeconfig ? undefined : shown.startsWith('..') ? kubeconfig : shown,
        berth: commandName(env, process.argv[1], cwd),
        isKept: !options.ephemeral,
        palette: choosePalette(stdout, env),
      }),
    )
    await untilAborted(interruption())
    stdout.write('stopping\n')
    await cluster.close()
    await removeRecord(dir)
    return exitCodes.done
  },
})

function furnish(cluster: EmbeddedCluster, objects: typeof demoObjects): void {
  for (const { resource, object } of objects) {
    const namespace = object.metadata.namespace
    const outcome = cluster.api.registry.call({
      verb: 'create',
      resource,
      object,
      ...(namespace === undefined ? {} : { namespace }),
    })
    if (!outcome.ok && outcome.status.reason !== 'AlreadyExists')
      throw new Error(`cannot create ${resource} ${object.metadata.name}: ${outcome.status.message}`)
  }
}

interface Welcome {
  readonly pods: string
  /** Absent: kubectl finds the cluster by itself. */
  readonly kubeconfig: string | undefined
  /** How the reader calls this program. */
  readonly berth: string
  /** What there is survives the process. */
  readonly isKept: boolean
  readonly palette: Palette
}

/** One screen, 80 columns wide: where it is, and what to try next. */
function welcome(cluster: EmbeddedCluster, { pods, kubeconfig, berth, isKept, palette: { paint } }: Welcome): string {
  const first = cluster.api.registry.store.list('nodes')[0]?.metadata.name ?? 'node-1'
  const line = (text: string, what: string) => `  ${paint('cyan', text)}\n      ${paint('dim', what)}\n`
  return [
    `${paint('bold', 'berth is up')} at ${cluster.api.server.url}, Kubernetes v1.36, ${counted(cluster, 'nodes')}, ${pods}\n`,
    cluster.console === undefined
      ? ''
      : `\nConsole (this link works once):\n  ${paint('cyan', cluster.console.link())}\n`,
    '\nIn another terminal:\n',
    kubeconfig === undefined ? '' : `  ${paint('cyan', `export KUBECONFIG=${kubeconfig}`)}\n`,
    line('kubectl get nodes,pods -o wide', 'see what runs where'),
    line(
      `kubectl taint node ${first} maintenance=now:NoExecute`,
      'watch pods leave at their tolerationSeconds and come back elsewhere',
    ),
    line(`${berth} evictions`, 'who will be evicted, when and why'),
    line(
      `${berth} node silence ${first}`,
      'a node that no longer answers: not ready in 50 s, pods evicted 5 min later',
    ),
    isKept ? '\nCtrl-C stops it; the next berth up goes on from here.\n' : '\nCtrl-C stops it, and nothing is kept.\n',
  ].join('')
}

function counted({ api }: EmbeddedCluster, resource: 'nodes' | 'pods'): string {
  const count = api.registry.store.count(resource)
  return `${count} ${count === 1 ? resource.slice(0, -1) : resource}`
}

/** How the reader calls this program, who may have it from a clone, from npx or from an installation. */
export function commandName(env: Ports['env'], script: string | undefined, cwd: string): string {
  if (env['npm_command'] === 'exec') return 'npx kubeberth'
  return script === join(cwd, 'bin', 'berth') ? './bin/berth' : 'berth'
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
}
