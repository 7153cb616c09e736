import { resolve } from 'node:path'
import { RealClock } from '../../base/real-clock.ts'
import { serveSnapshot } from '../../controlplane/console/snapshot.ts'
import { consoleHostOption } from '../api-endpoint.ts'
import { readAutoscalerFile } from '../autoscaler-input.ts'
import { clusterOptions, readCluster } from '../cluster-input.ts'
import { defineCommand, exitCodes, grouped, integer, text } from '../command.ts'
import { figuresOf } from '../console/figures.ts'
import { consoleOracles } from '../console/oracles.ts'
import { controlPlaneOptions, settingsOf } from '../control-plane-options.ts'
import { openLog } from '../log-file.ts'
import { choosePalette } from '../output.ts'
import { untilAborted } from '../until-aborted.ts'
import { forecastWebhooks, webhookOptions } from '../webhook-options.ts'

export const command = defineCommand({
  name: 'console',
  summary: 'Serve the console on a snapshot or a dump, read-only',
  description:
    'Reads a cluster once (live, from a snapshot, or from a dump of kubectl get nodes,pods,… -A -o json) and serves the console on it: ' +
    'problems, nodes, workloads, budgets, pods, explanations and forecasts. Nothing is installed in the cluster, and ' +
    'nothing can be changed.',
  args: [],
  options: {
    ...clusterOptions(),
    ...controlPlaneOptions,
    autoscaler: text({
      summary: 'YAML file with the autoscaler and its prices; it acts in forecasts',
      value: 'FILE',
    }),
    bindAddress: text({ summary: 'Address to listen on', value: 'ADDRESS', default: '127.0.0.1' }),
    port: integer({ summary: 'Port to listen on; 0 selects a free port', min: 0, max: 65_535, default: 0 }),
    allowedHost: consoleHostOption,
    ...grouped('Webhook options', webhookOptions),
  },
  examples: [
    { command: 'berth console --from dump.json', summary: 'View a dump in the browser' },
    { command: 'berth console --context prod', summary: 'Read a live cluster once, and view it' },
  ],
  run: async (context) => {
    const { options, stdout, files, cwd, env, interruption } = context
    const found = await readCluster(context)
    const { store, takenAtMs } = found.cluster
    const settings = await settingsOf(options, files, cwd, found.kubernetes)
    const autoscaler = await readAutoscalerFile(options.autoscaler, { files, cwd })
    const clock = new RealClock()
    const { link, server } = await serveSnapshot({
      store,
      takenAtMs,
      name: options.from ?? 'the cluster',
      clock,
      log: await openLog('warn', undefined),
      host: options.bindAddress,
      port: options.port,
      hostNames: options.allowedHost,
      kubernetes: `v${settings.release.minor}`,
      figures: figuresOf(found, autoscaler),
      oracles: consoleOracles({
        store,
        settings,
        ...(autoscaler === undefined ? {} : { autoscaler }),
        stages: [],
        file: { notes: found.notes, without: found.without },
        pluginFiles: options.plugin.map((file) => resolve(cwd, file)),
        now: () => takenAtMs,
        ...(await forecastWebhooks(options, context)),
      }),
    })
    const { paint } = choosePalette(stdout, env)
    stdout.write(
      `${store.count('nodes')} nodes and ${store.count('pods')} pods as of ${new Date(takenAtMs).toISOString()}, read-only\n` +
        `Console (this link works once):\n  ${paint('cyan', link)}\nCtrl-C stops it.\n`,
    )
    await untilAborted(interruption())
    await server.close()
    return exitCodes.done
  },
})
