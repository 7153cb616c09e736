import { knownMinors } from '../api/releases/release-of.ts'
import { text } from './command.ts'

/** Options of all commands with a control plane: the release of Kubernetes. */
export const releaseOptions = {
  kubernetesVersion: text({
    summary: `Release of Kubernetes: ${knownMinors.join(', ')}, or with its patch level, such as 1.36.2 (default: the newest; in forecasts, the release of the cluster)`,
    value: 'VERSION',
  }),
  featureGates: text({ summary: 'Feature gates of the release, for example A=true,B=false', value: 'GATES' }),
} as const

export interface ReleaseValues {
  readonly kubernetesVersion: string | undefined
  readonly featureGates: string | undefined
}

/** The flags of these options. */
export function releaseFlags({ kubernetesVersion, featureGates }: ReleaseValues): Readonly<Record<string, string>> {
  return {
    ...(kubernetesVersion === undefined ? {} : { 'kubernetes-version': kubernetesVersion }),
    ...(featureGates === undefined ? {} : { 'feature-gates': featureGates }),
  }
}
