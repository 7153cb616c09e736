/** A Google Compute Engine instance, from `spec.providerID`. */
export interface GceInstance {
  readonly project: string
  readonly zone: string
  readonly name: string
}

const providerId = /^gce:\/\/([^/]+)\/([^/]+)\/([^/]+)$/

/** Undefined: another provider. */
export function parseProviderId(text: string): GceInstance | undefined {
  const match = providerId.exec(text)
  if (match === null) return undefined
  const [, project, zone, name] = match as unknown as readonly [string, string, string, string]
  // The name may be the fully qualified name of the instance (v1.28, gce, canonicalizeInstanceName).
  return { project, zone, name: name.replace(/\..*$/, '') }
}
