import { serveEtcdHealth } from '../../controlplane/ports-etcd-health.ts'
import { type ExitCode, exitCodes, type Ports } from '../command.ts'
import { untilAborted } from '../until-aborted.ts'
import { etcdFlags } from './known-flags.ts'
import { flagHelp, readFlags } from './read-flags.ts'

const about =
  'Serves /health and /version in place of etcd, for envtest. The API server of berth stores its objects itself.'
const version = '3.6.4'

/** `etcd` for envtest. */
export async function runEtcd(args: readonly string[], ports: Ports): Promise<ExitCode> {
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    ports.stdout.write(flagHelp('etcd', about, etcdFlags))
    return exitCodes.done
  }
  if (args.includes('--version')) {
    ports.stdout.write(`etcd Version: ${version}\n`)
    return exitCodes.done
  }
  const flags = readFlags('etcd', args, { valued: etcdFlags, switches: new Set() })
  const urls = flags.all('listen-client-urls')
  const close = await serveEtcdHealth(urls.length === 0 ? ['http://127.0.0.1:2379'] : urls, version)
  await untilAborted(ports.interruption())
  await close()
  return exitCodes.done
}
