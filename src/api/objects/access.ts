import type { KubeObject, LabelSelector } from './meta.ts'

export interface RoleRule {
  readonly verbs?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export interface ClusterRole extends KubeObject {
  readonly rules?: readonly RoleRule[] | null
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] }
}

export interface CertificateCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastUpdateTime?: string | null
  readonly lastTransitionTime?: string | null
}

export interface CertificateSigningRequest extends KubeObject {
  readonly spec: {
    /** PEM, in base64. */
    readonly request: string
    readonly signerName: string
    readonly expirationSeconds?: number
    readonly usages?: readonly string[]
    readonly username?: string
    readonly uid?: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
  readonly status?: {
    readonly conditions?: readonly CertificateCondition[]
    /** PEM, in base64. */
    readonly certificate?: string
  }
}

export interface ExpressionWarning {
  readonly fieldRef: string
  readonly warning: string
}

export interface ValidatingAdmissionPolicy extends KubeObject {
  readonly spec: {
    readonly paramKind?: { readonly apiVersion: string; readonly kind: string }
    readonly matchConstraints?: {
      readonly resourceRules?: readonly {
        readonly apiGroups?: readonly string[]
        readonly apiVersions?: readonly string[]
        readonly resources?: readonly string[]
      }[]
    }
    readonly variables?: readonly { readonly name: string; readonly expression: string }[]
    readonly validations?: readonly { readonly expression: string; readonly messageExpression?: string }[]
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly typeChecking?: { readonly expressionWarnings?: readonly ExpressionWarning[] }
  }
}

export interface FlowSchema extends KubeObject {
  readonly spec: {
    readonly matchingPrecedence?: number
    readonly priorityLevelConfiguration: { readonly name: string }
    readonly rules?: readonly FlowRule[]
  }
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason?: string
      readonly message?: string
    }[]
  }
}

export interface FlowRule {
  readonly subjects?: readonly FlowSubject[]
  readonly resourceRules?: readonly {
    readonly verbs: readonly string[]
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly clusterScope?: boolean
    readonly namespaces?: readonly string[]
  }[]
  readonly nonResourceRules?: readonly {
    readonly verbs: readonly string[]
    readonly nonResourceURLs: readonly string[]
  }[]
}

export interface FlowSubject {
  readonly kind: string
  readonly user?: { readonly name: string }
  readonly group?: { readonly name: string }
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
}

export interface PriorityLevelConfiguration extends KubeObject {
  readonly spec: {
    readonly exempt?: { readonly nominalConcurrencyShares?: number }
    readonly limited?: { readonly nominalConcurrencyShares?: number }
  }
}
