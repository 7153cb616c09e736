import { join, resolve } from 'node:path'
import { RealClock } from '../../base/real-clock.ts'
import { apiServerControllers } from '../../controlplane/api-server-controllers.ts'
import { startEmbedded } from '../../controlplane/embedded.ts'
import { readRelease } from '../../controlplane/release-flags.ts'
import { admissionOf, admissionOptions } from '../admission-options.ts'
import {
  accessOptions,
  endpointOf,
  explained,
  listeningOptions,
  warnOfAddress,
  writeKubeconfig,
} from '../api-endpoint.ts'
import { choice, defineCommand, exitCodes, flag, grouped, parsed, text, wrongQuestion } from '../command.ts'
import { identityOf, identityOptions } from '../identity-options.ts'
import { logLevels, openLog } from '../log-file.ts'
import { releaseFlags, releaseOptions } from '../release-options.ts'
import { serviceRangeOptions, serviceRangesOf } from '../service-range-options.ts'
import { servingOptions } from '../serving-options.ts'
import { untilAborted } from '../until-aborted.ts'

export const command = defineCommand({
  name: 'apiserver',
  summary: 'Run only the Kubernetes API server, for tests of controllers and for tools',
  description:
    'Serves the Kubernetes API in a single process. All data is stored in the data directory, and a write is acknowledged ' +
    'when it is durable. Prints one line when the server is ready. Ctrl-C stops the server.',
  args: [],
  options: {
    dataDir: text({
      summary: 'Directory for objects, keys and the kubeconfig',
      value: 'DIR',
      default: '.berth/apiserver',
    }),
    ephemeral: flag({ summary: 'Keep everything in memory' }),
    ...listeningOptions,
    ...releaseOptions,
    ...serviceRangeOptions,
    controllers: parsed({
      summary: 'Controllers to run, separated by commas; leave out those that another kube-controller-manager runs',
      value: 'NAMES',
      shown: '*',
      parse: controllerNames,
      default: Object.keys(apiServerControllers),
    }),
    logLevel: choice({
      summary: 'Log level of standard error; errors and requests that take more than a second are logged',
      choices: logLevels,
      default: 'warn',
    }),
    ...grouped('Access and limits', { ...accessOptions, ...servingOptions }),
    ...grouped('Authentication options', identityOptions),
    ...grouped('Admission and audit options', admissionOptions),
  },
  examples: [
    { command: 'berth apiserver', summary: 'Serve on 127.0.0.1:6443, durable in .berth/apiserver' },
    {
      command: 'berth apiserver --ephemeral --port 0 --kubeconfig /tmp/kc',
      summary: 'Serve from memory on a free port, for a test',
    },
    { command: 'kubectl --kubeconfig .berth/apiserver/kubeconfig get ns', summary: 'Use the server with kubectl' },
  ],
  run: async ({ options, stdout, stderr, cwd, files, interruption }) => {
    const release = readRelease(releaseFlags(options))
    if (!release.ok) throw wrongQuestion(release.message)
    const dataDir = options.ephemeral ? undefined : resolve(cwd, options.dataDir)
    warnOfAddress(options.bindAddress, stderr)
    const { api, close } = await startEmbedded({
      ...(dataDir === undefined ? {} : { dataDir }),
      ...endpointOf(options),
      clock: new RealClock(),
      log: await openLog(options.logLevel, undefined),
      release: release.value,
      ...serviceRangesOf(options.serviceClusterIpRange),
      controllers: (context) => options.controllers.flatMap((name) => apiServerControllers[name]?.(context) ?? []),
      hasServiceAccounts: options.controllers.includes('serviceaccount'),
      ...(await identityOf(options, files, cwd)),
      ...(await admissionOf(options, files, cwd)),
    }).catch((error: NodeJS.ErrnoException) => {
      throw explained(error, options.bindAddress, options.port)
    })
    const kubeconfig = options.kubeconfig ?? (dataDir === undefined ? undefined : join(dataDir, 'kubeconfig'))
    if (kubeconfig !== undefined) await writeKubeconfig(resolve(cwd, kubeconfig), api.kubeconfig, close)
    const hint = kubeconfig === undefined ? '' : ` (kubeconfig: ${kubeconfig})`
    stdout.write(`berth apiserver ready at ${api.server.url}${hint}\n`)
    await untilAborted(interruption())
    await close()
    return exitCodes.done
  },
})

function controllerNames(text: string): readonly string[] {
  if (text === '*') return Object.keys(apiServerControllers)
  const names = text.split(',').filter((name) => name !== '')
  const unknown = names.find((name) => !Object.hasOwn(apiServerControllers, name))
  if (unknown === undefined) return names
  const known = Object.keys(apiServerControllers).join(', ')
  throw new Error(`unknown controller ${JSON.stringify(unknown)}; known controllers: ${known}`)
}
