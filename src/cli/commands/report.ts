import { resolve } from 'node:path'
import { RealClock } from '../../base/real-clock.ts'
import { staticConsole } from '../../controlplane/console/snapshot.ts'
import { loadPageCode } from '../../controlplane/ports-console.ts'
import { selfContainedPage } from '../../whatif/report/self-contained-page.ts'
import { readAutoscalerFile } from '../autoscaler-input.ts'
import { clusterOptions, readCluster } from '../cluster-input.ts'
import { defineCommand, exitCodes, flag, text, wrongQuestion } from '../command.ts'
import { figuresOf } from '../console/figures.ts'
import { controlPlaneOptions, settingsOf } from '../control-plane-options.ts'

export const command = defineCommand({
  name: 'report',
  summary: 'Write the state of a cluster and the console to one HTML file',
  description:
    'Writes one HTML file with the nodes, workloads, budgets and pods of a cluster, and the console to view them. It needs no ' +
    'server and no network. For forecasts and explanations, use berth console. To write a forecast to a file, use berth whatif -o html.',
  args: [{ name: 'FILE', summary: 'File to write (default: cluster.html)', takes: 'at-most-one' }],
  options: {
    ...clusterOptions(),
    ...controlPlaneOptions,
    autoscaler: text({
      summary: 'YAML file with the autoscaler and its prices',
      value: 'FILE',
    }),
    console: flag({ summary: 'Write the console' }),
  },
  examples: [
    { command: 'berth report --console --from dump.json', summary: 'Write cluster.html' },
    { command: 'berth report --console --context prod prod.html', summary: 'Read a live cluster' },
  ],
  run: async (context) => {
    const { options, args, stdout, files, cwd } = context
    if (!options.console) throw wrongQuestion('pass --console; for the report of a forecast: berth whatif … -o html')
    const code = loadPageCode('export')
    if (code === undefined) throw wrongQuestion('the console is not built: run npm run build')
    const found = await readCluster(context)
    const { store, takenAtMs } = found.cluster
    const settings = await settingsOf(options, files, cwd, found.kubernetes)
    const name = options.from ?? 'the cluster'
    const data = staticConsole({
      store,
      takenAtMs,
      name,
      clock: new RealClock(),
      figures: figuresOf(found, await readAutoscalerFile(options.autoscaler, { files, cwd })),
      kubernetes: `v${settings.release.minor}`,
    })
    const [file = 'cluster.html'] = args
    const heading = `A cluster at ${new Date(takenAtMs).toISOString()}`
    const page = selfContainedPage({
      title: 'Cluster',
      body: `<main class="page"><h1>${heading}</h1><p>This page needs JavaScript.</p></main>`,
      data: { id: 'cluster', value: data },
      code,
    })
    await files.writeText(resolve(cwd, file), page)
    stdout.write(
      `${file}: ${store.count('nodes')} nodes and ${store.count('pods')} pods, ${Math.round(page.length / 1024)} kB\n`,
    )
    return exitCodes.done
  },
})
