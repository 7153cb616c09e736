/**
 * Messages of answers with code 500 that upstream (v1.36) gives to the same requests. Upstream answers errors that it does not
 * classify with 500 and their text.
 */
const upstreamErrors: readonly RegExp[] = [
  // apiserver, storage/etcd3 Create: ErrResourceVersionSetOnCreate.
  /^resourceVersion should not be set on objects to be created$/,
  // apiserver, registry/generic Store.Update and Store.Get: the version of the request is read with strconv.
  /^(invalid resource version: )?strconv\.ParseUint: parsing /,
  // kubernetes, registry/core/pod/storage BindingREST.Create: the aggregate of ValidatePodBinding.
  /^\[?target\.(kind|name): (Unsupported|Required|Invalid) value/,
  // kubernetes, registry/core/pod/storage EvictionREST.
  /^This pod has more than one PodDisruptionBudget, which the eviction subresource does not support\.$/,
  // apimachinery, util/managedfields/internal: errors of server-side apply.
  /^failed to create typed patch object \(/,
  /^failed to convert new object \(/,
  // apimachinery, util/strategicpatch: errors that apiserver's patch handler does not classify.
  /^(delete patch type with no merge key defined|map: .* does not contain declared merge key: |unknown patch type: |unable to find api field in struct )/s,
  /^(The order in patch list|the first item in the list|\$\w+ )/,
  // apiserver, endpoints/filters WithRequestInfo.
  /^Internal Server Error: ".*": failed to create RequestInfo: unable to determine kind and namespace from url, /s,
  // kubernetes, registry/core/service/storage: the port of the health check.
  /^Internal error occurred: failed to allocate requested HealthCheck NodePort /,
  // kubernetes, registry/rbac/validation: errors of the rule resolver.
  /^unsupported role reference kind: /,
  // apiextensions-apiserver, conversion: a webhook that cannot be reached.
  /^Internal error occurred: conversion webhook for /,
]

/** Whether the body of an answer with code 500 is one that upstream gives too. */
export function isUpstreamError(body: string): boolean {
  const message = messageOf(body)
  return upstreamErrors.some((known) => known.test(message))
}

function messageOf(body: string): string {
  try {
    return (JSON.parse(body) as { readonly message?: string }).message ?? ''
  } catch {
    return body
  }
}
