import { homedir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import { RealClock } from '../../base/real-clock.ts'
import { createHollowDevices } from '../../controllers/hollow-devices/controller.ts'
import { dualStackAddresses } from '../../controllers/hollow-kubelet/addresses.ts'
import { createHollowKubelet } from '../../controllers/hollow-kubelet/controller.ts'
import { hollowLabel } from '../../controllers/hollow-kubelet/hollow-names.ts'
import { packs } from '../../controllers/hollow-kubelet/packs.ts'
import { programStages } from '../../controllers/hollow-kubelet/program-stages.ts'
import { clusterServiceFactories, controllerFactories, createControllers } from '../../controlplane/controllers.ts'
import { type EmbeddedCluster, startEmbedded } from '../../controlplane/embedded.ts'
import { type DeviceObject, hollowDevices } from '../../controlplane/hollow-devices.ts'
import { defaultShape, hollowNodes, parseNodeShape } from '../../controlplane/hollow-nodes.ts'
import { standardStorageClass } from '../../controlplane/hollow-storage.ts'
import { createLiveAutoscaling } from '../../controlplane/live-autoscaling.ts'
import { narrowDataDirectory } from '../../store/journal/folder.ts'
import { admissionOf, admissionOptions } from '../admission-options.ts'
import {
  accessOptions,
  consoleHostOption,
  endpointOf,
  explained,
  listeningOptions,
  warnOfAddress,
  writeKubeconfig,
} from '../api-endpoint.ts'
import { autoscalersOf, readAutoscalerFile } from '../autoscaler-input.ts'
import { removeRecord, runningCluster, writeRecord } from '../cluster-files.ts'
import {
  choice,
  defineCommand,
  exitCodes,
  flag,
  grouped,
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
import { identityOf, identityOptions } from '../identity-options.ts'
import { mergeKubeconfig } from '../kubeconfig-merge.ts'
import { readLoadFile } from '../load-input.ts'
import { logLevels, openLog } from '../log-file.ts'
import { choosePalette, type TextPalette } from '../output.ts'
import { serviceRangesOf } from '../service-range-options.ts'
import { servingOptions } from '../serving-options.ts'
import { readStages } from '../stage-files.ts'
import { untilAborted } from '../until-aborted.ts'
import { forecastWebhooks, webhookOptions } from '../webhook-options.ts'
import { readObjects, type SourcedObject } from '../yaml.ts'

// The service addresses are those of the API server itself.
const { webhookService: _, ...consoleWebhooks } = webhookOptions

const everyController = [...Object.keys(controllerFactories), ...Object.keys(clusterServiceFactories)]

export const command = defineCommand({
  name: 'up',
  summary: 'Start a cluster: API server, control plane and hollow nodes',
  description:
    'Runs an API server, the scheduler and the controllers in this process, with hollow nodes that report their pods as running. ' +
    'All data is stored in the data directory, and the next start continues from there. Ctrl-C stops the cluster.',
  args: [],
  options: {
    nodes: integer({
      summary: 'Number of hollow nodes to create if the cluster has no nodes',
      default: 5,
      min: 0,
      max: 20_000,
    }),
    nodeShape: parsed({
      summary: 'Capacity and zones of the hollow nodes',
      value: 'SHAPE',
      parse: parseNodeShape,
      shown: 'cpu=8,memory=32Gi,zones=3',
      default: defaultShape,
    }),
    devices: text({
      summary:
        'YAML file of DeviceClasses, ResourceSlices and claim templates; a ResourceSlice without nodes is created for each hollow node',
      value: 'FILE',
    }),
    pack: choice({
      summary: 'Behavior of the hollow kubelets',
      choices: Object.keys(packs) as (keyof typeof packs)[],
      default: 'fast' as keyof typeof packs,
    }),
    stages: repeated({
      summary: 'YAML file of kind Stage with additional kubelet behavior; takes precedence over --pack',
      value: 'FILE',
    }),
    autoscaler: text({
      summary: 'YAML file with the autoscaler and its node groups; it adds and removes hollow nodes',
      value: 'FILE',
    }),
    load: text({
      summary: 'YAML file with the load of workloads, for kubectl top and the Horizontal Pod Autoscaler',
      value: 'FILE',
    }),
    leaseRenewInterval: duration('Interval at which hollow kubelets renew their Leases', 10_000),
    demo: flag({ summary: 'Create sample Deployments if the cluster is empty' }),
    dataDir: text({ summary: 'Directory for all data of the cluster', value: 'DIR', default: defaultDataDir }),
    ephemeral: flag({ summary: 'Keep objects in memory only' }),
    mergeKubeconfig: flag({ summary: 'Add the cluster to ~/.kube/config and make it the current context' }),
    logLevel: choice({
      summary: 'Log level of berth.log in the data directory',
      choices: logLevels,
      default: 'info',
    }),
    seed: text({ summary: 'Random seed for ties and generated names', value: 'TEXT' }),
    ...grouped('API server options', {
      ...listeningOptions,
      allowedHost: consoleHostOption,
      ...accessOptions,
      ...servingOptions,
    }),
    ...grouped('Authentication options', identityOptions),
    ...grouped('Admission and audit options', admissionOptions),
    ...grouped('Webhooks in forecasts of the console', consoleWebhooks),
    ...grouped('Release, scheduler and controller options', controlPlaneOptions),
  },
  examples: [
    { command: 'berth up', summary: 'Start five hollow nodes in three zones, on 127.0.0.1:6443' },
    {
      command: 'berth up --nodes 100 --node-shape cpu=16,memory=64Gi,zones=4',
      summary: 'Start 100 nodes in four zones',
    },
    {
      command: 'berth up --demo --merge-kubeconfig',
      summary: 'Start with sample Deployments and point kubectl at the cluster',
    },
    {
      command: 'berth up --service-cluster-ip-range 10.96.0.0/16,fd00:10:96::/112',
      summary: 'Start a dual-stack cluster: nodes, pods and services have IPv4 and IPv6 addresses',
    },
    {
      command: 'berth up --nodes 1 --autoscaler groups.yaml',
      summary: 'Start one node and let Cluster Autoscaler add others',
    },
    {
      command: 'berth up --behavior improved --node-monitor-grace-period 20s',
      summary: 'Start with all fixes over upstream behavior',
    },
  ],
  run: async ({ options, stdout, stderr, cwd, env, files, now, interruption, readStdin }) => {
    const dir = resolve(cwd, options.dataDir)
    const other = await runningCluster(files, dir)
    if (other !== undefined)
      throw wrongQuestion(
        `a cluster already runs in ${options.dataDir} (process ${other.pid}, ${other.url}): stop it with berth down, or choose another --data-dir`,
      )
    for (const correction of narrowDataDirectory(dir)) stderr.write(`berth: warning: ${correction}\n`)
    const settings = await settingsOf(options, files, cwd)
    const devices =
      options.devices === undefined ? [] : await readObjects([resolve(cwd, options.devices)], { files, readStdin })
    const log = await openLog(options.logLevel, join(dir, 'berth.log')).catch((error: NodeJS.ErrnoException) => {
      throw explained(error, options.bindAddress, options.port)
    })
    warnOfAddress(options.bindAddress, stderr)
    const clock = new RealClock()
    const stages = await readStages(options.stages, { files, cwd })
    const hollow = {
      stages: [...stages, ...programStages, ...packs[options.pack]],
      leaseRenewIntervalMs: options.leaseRenewInterval,
      stopWithinMs: 1_000,
      ...(settings.nodeIpam.serviceRanges.length === 2 ? { addresses: dualStackAddresses } : {}),
    }
    const autoscalerFile = await readAutoscalerFile(options.autoscaler, { files, cwd })
    const autoscaling = createLiveAutoscaling({
      settings,
      clock,
      loads: await readLoadFile(options.load, { files, cwd }),
      autoscalersOf: (store) => autoscalersOf(autoscalerFile, { store, takenAtMs: clock.wall() }).autoscaling ?? {},
    })
    const webhooks = await forecastWebhooks(options, { files, cwd })
    const cluster = await startEmbedded({
      ...(options.ephemeral ? {} : { dataDir: dir }),
      ...endpointOf(options),
      hostNames: options.allowedHost,
      clock,
      log,
      release: settings.release,
      nodeIpam: settings.nodeIpam,
      ...serviceRangesOf(settings.nodeIpam.serviceRanges),
      hasServiceAccounts: true,
      ownServers: autoscaling.ownServers,
      prepare: autoscaling.prepare,
      controllers: (context) => [
        ...createControllers(everyController, { ...context, settings, load: autoscaling.load() }),
        ...autoscaling.controllers({ ...context, settings }),
        createHollowKubelet({
          version: settings.release.version,
          serves: 'labeled',
          spread: true,
          reports: 'complete',
          ...hollow,
        }),
        createHollowDevices(),
      ],
      ...(await identityOf(options, files, cwd)),
      ...(await admissionOf(options, files, cwd)),
      ...(options.seed === undefined ? {} : { seed: options.seed }),
      console: ({ registry }) => ({
        ...consoleOracles({
          store: registry.store,
          settings,
          stages,
          ...(autoscalerFile === undefined ? {} : { autoscaler: autoscalerFile }),
          pluginFiles: options.plugin.map((file) => resolve(cwd, file)),
          now: () => clock.wall(),
          ...webhooks,
        }),
        figures: autoscaling.figures,
      }),
    }).catch((error: NodeJS.ErrnoException) => {
      throw explained(error, options.bindAddress, options.port)
    })
    const empty = cluster.api.registry.store.count('nodes') === 0
    const nodes = hollowNodes(options.nodes, options.nodeShape)
    if (empty)
      createObjects(cluster, [
        { resource: 'storageclasses.storage.k8s.io', object: standardStorageClass },
        ...nodes.map((object) => ({ resource: 'nodes', object })),
        ...devicesOf(devices, nodes),
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
        showsLink: stdout.isFile !== true,
      }),
    )
    await untilAborted(interruption())
    stdout.write('stopping\n')
    await cluster.close()
    await removeRecord(dir)
    return exitCodes.done
  },
})

function createObjects(cluster: EmbeddedCluster, objects: typeof demoObjects): void {
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

interface WelcomeOptions {
  readonly pods: string
  /** Absent: kubectl uses the cluster by default. */
  readonly kubeconfig: string | undefined
  /** The command as the user runs it. */
  readonly berth: string
  /** Whether objects are stored on disk. */
  readonly isKept: boolean
  readonly palette: TextPalette
  /** False if the output goes to a file: the first client that opens the link becomes administrator. */
  readonly showsLink: boolean
}

/** One screen of 80 columns: the address, and commands to try next. */
function welcome(
  cluster: EmbeddedCluster,
  { pods, kubeconfig, berth, isKept, palette, showsLink }: WelcomeOptions,
): string {
  const { paint } = palette
  const first = cluster.api.registry.store.list('nodes')[0]?.metadata.name
  const line = (text: string, what: string) => `  ${paint('cyan', text)}\n      ${paint('dim', what)}\n`
  return [
    `${paint('bold', 'berth is up')} at ${cluster.api.server.url}, Kubernetes v${cluster.api.registry.release.minor}, ${counted(cluster, 'nodes')}, ${pods}\n`,
    cluster.console === undefined
      ? ''
      : showsLink
        ? `\nConsole (this link works once):\n  ${paint('cyan', cluster.console.link())}\n`
        : `\nConsole: ${cluster.api.server.url}/console/ (the sign-in link is not written to files)\n`,
    '\nIn another terminal:\n',
    kubeconfig === undefined ? '' : `  ${paint('cyan', `export KUBECONFIG=${kubeconfig}`)}\n`,
    line('kubectl get nodes,pods -o wide', 'list nodes and pods'),
    ...nodeCommands(first, berth).map(([text, what]) => line(text, what)),
    isKept
      ? '\nCtrl-C stops the cluster; the next berth up continues from here.\n'
      : '\nCtrl-C stops the cluster; nothing is kept.\n',
  ].join('')
}

/** Suggested commands for the first node, or for a cluster without nodes. */
export function nodeCommands(first: string | undefined, berth: string): readonly (readonly [string, string])[] {
  if (first === undefined)
    return [['kubectl create -f NODES', `add nodes; those with the label ${hollowLabel}=true are hollow`]]
  return [
    [
      `kubectl taint node ${first} maintenance=now:NoExecute`,
      'evict the pods of a node; their replacements run on other nodes',
    ],
    [`${berth} evictions`, 'list pending evictions with time and reason'],
    [`${berth} node silence ${first}`, 'stop the heartbeats of a node: NotReady after 50 s, evictions 5 min later'],
  ]
}

function devicesOf(objects: readonly SourcedObject[], nodes: readonly Node[]): readonly DeviceObject[] {
  try {
    return hollowDevices(
      objects.map(({ object }) => object as unknown as KubeObject),
      nodes,
    )
  } catch (error) {
    throw wrongQuestion(error instanceof Error ? error.message : String(error))
  }
}

function counted({ api }: EmbeddedCluster, resource: 'nodes' | 'pods'): string {
  const count = api.registry.store.count(resource)
  return `${count} ${count === 1 ? resource.slice(0, -1) : resource}`
}

/** The command as the user runs it: from a clone, npx or an installation. */
export function commandName(env: Ports['env'], script: string | undefined, cwd: string): string {
  if (env['npm_command'] === 'exec') return 'npx kubeberth'
  return script === join(cwd, 'bin', 'berth') ? './bin/berth' : 'berth'
}
