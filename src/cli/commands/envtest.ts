import { defineCommand, exitCodes } from '../command.ts'
import { envtestFolder } from '../ports.ts'

export const command = defineCommand({
  name: 'envtest',
  summary: 'Print the directory with kube-apiserver, etcd and kubectl for envtest',
  description:
    'Set KUBEBUILDER_ASSETS to the directory that this command prints. The executables accept the flags of kube-apiserver and etcd. ' +
    'BERTH_CONTROLLERS names the controllers that run beside the API server, separated by commas ' +
    '(default: namespace,garbagecollector). BERTH_KUBERNETES_VERSION selects the release (default: the newest).',
  args: [],
  options: {},
  examples: [
    { command: 'export KUBEBUILDER_ASSETS=$(berth envtest)', summary: 'Use berth in tests with envtest' },
    {
      command:
        'KUBEBUILDER_ASSETS=$(berth envtest) BERTH_CONTROLLERS=namespace,garbagecollector,replicaset go test ./...',
      summary: 'Run tests with the ReplicaSet controller',
    },
    {
      command: 'KUBEBUILDER_ASSETS=$(berth envtest) BERTH_KUBERNETES_VERSION=1.35 go test ./...',
      summary: 'Run tests against the API of another release',
    },
  ],
  run: async ({ stdout }) => {
    stdout.write(`${envtestFolder()}\n`)
    return exitCodes.done
  },
})
