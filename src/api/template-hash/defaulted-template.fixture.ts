export const container = {
  name: 'c',
  image: 'i',
  imagePullPolicy: 'Always',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
}

/** The spec of a template with the defaults of the API server. */
export const defaultedSpec = (one: object = container) => ({
  containers: [one],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
})
