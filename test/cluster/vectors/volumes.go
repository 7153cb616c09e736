package main

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	driver      = "csi.example.com"
	otherDriver = "disk.example.com"
)

// disks is everything about storage that a cluster holds.
type disks struct {
	pvs         []*v1.PersistentVolume
	pvcs        []*v1.PersistentVolumeClaim
	classes     []*storage.StorageClass
	nodes       []*storage.CSINode
	drivers     []*storage.CSIDriver
	capacities  []*storage.CSIStorageCapacity
	attachments []*storage.VolumeAttachment
}

func (r *random) storageClasses() []*storage.StorageClass {
	class := func(name, provisioner string, mode storage.VolumeBindingMode) *storage.StorageClass {
		return &storage.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name, UID: r.uid()}, Provisioner: provisioner, VolumeBindingMode: &mode}
	}
	zonal := class("zonal", driver, storage.VolumeBindingWaitForFirstConsumer)
	zonal.AllowedTopologies = []v1.TopologySelectorTerm{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{
		{Key: zone, Values: some(r, r.between(1, 2), "zone-a", "zone-b", "zone-c")},
	}}}
	if r.chance(0.3) {
		zonal.AllowedTopologies = append(zonal.AllowedTopologies, v1.TopologySelectorTerm{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{
			{Key: region, Values: []string{"r2"}}, {Key: "disk", Values: []string{"ssd"}},
		}})
	}
	return []*storage.StorageClass{
		class("fast", driver, storage.VolumeBindingImmediate), class("late", driver, storage.VolumeBindingWaitForFirstConsumer),
		class("local", "kubernetes.io/no-provisioner", storage.VolumeBindingWaitForFirstConsumer), zonal,
		class("ebs", "kubernetes.io/aws-ebs", storage.VolumeBindingWaitForFirstConsumer),
		class("pd", "kubernetes.io/gce-pd", storage.VolumeBindingImmediate),
	}
}

func (r *random) storage(nodes []*v1.Node) *disks {
	d := &disks{classes: r.storageClasses()}
	if r.chance(0.1) {
		d.classes = d.classes[1:]
	}
	for _, node := range nodes {
		if r.chance(0.12) {
			continue
		}
		csi := &storage.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
		for _, name := range some(r, r.between(1, 3), driver, driver, otherDriver, "ebs.csi.aws.com", "pd.csi.storage.gke.io") {
			one := storage.CSINodeDriver{Name: name, NodeID: node.Name, TopologyKeys: []string{zone}}
			if r.chance(0.6) {
				one.Allocatable = &storage.VolumeNodeResources{Count: ptr(int32(r.between(0, 3)))}
			}
			known := false
			for _, other := range csi.Spec.Drivers {
				known = known || other.Name == name
			}
			if !known {
				csi.Spec.Drivers = append(csi.Spec.Drivers, one)
			}
		}
		if r.chance(0.5) {
			csi.Annotations = map[string]string{v1.MigratedPluginsAnnotationKey: pick(r, "kubernetes.io/aws-ebs", "kubernetes.io/gce-pd", "kubernetes.io/aws-ebs,kubernetes.io/gce-pd,kubernetes.io/azure-disk")}
		}
		d.nodes = append(d.nodes, csi)
	}
	for i := range r.between(0, 5) {
		pv := r.volume(fmt.Sprintf("free-%d", i), pick(r, "local", "local", "late", "zonal", ""))
		pv.Status.Phase = pick(r, v1.VolumeAvailable, v1.VolumeAvailable, v1.VolumeAvailable, v1.VolumeReleased)
		d.pvs = append(d.pvs, pv)
	}
	if r.chance(0.4) {
		d.drivers = append(d.drivers, &storage.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: driver}, Spec: storage.CSIDriverSpec{
			StorageCapacity: ptr(r.chance(0.7)), AttachRequired: ptr(r.chance(0.8)),
		}})
		for i := range r.between(0, 4) {
			made := r.capacity(fmt.Sprintf("capacity-%d", i))
			// The scheduler scores any of several capacities that a node has access to: the first in the order of a Go map.
			sharesNodes := func(other *storage.CSIStorageCapacity) bool { return haveNodesInCommon(made, other) }
			if !slices.ContainsFunc(d.capacities, sharesNodes) {
				d.capacities = append(d.capacities, made)
			}
		}
	}
	return d
}

func haveNodesInCommon(one, other *storage.CSIStorageCapacity) bool {
	if one.StorageClassName != other.StorageClassName || one.NodeTopology == nil || other.NodeTopology == nil {
		return false
	}
	zones, others := one.NodeTopology.MatchLabels, other.NodeTopology.MatchLabels
	return len(zones) == 0 || len(others) == 0 || maps.Equal(zones, others)
}

func (r *random) capacity(name string) *storage.CSIStorageCapacity {
	capacity := &storage.CSIStorageCapacity{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, StorageClassName: pick(r, "late", "zonal", "fast")}
	if r.chance(0.8) {
		capacity.Capacity = ptr(quantity(pick(r, "1Gi", "10Gi", "100Gi")))
	}
	if r.chance(0.3) {
		capacity.MaximumVolumeSize = ptr(quantity(pick(r, "5Gi", "50Gi")))
	}
	// The scheduler of v1.37 ends with a nil pointer when it scores a capacity that has only a maximum.
	if capacity.MaximumVolumeSize != nil && capacity.Capacity == nil {
		capacity.Capacity = capacity.MaximumVolumeSize
	}
	if r.chance(0.9) {
		capacity.NodeTopology = &metav1.LabelSelector{}
		if r.chance(0.8) {
			capacity.NodeTopology.MatchLabels = map[string]string{zone: pick(r, "zone-a", "zone-b", "zone-c")}
		}
	}
	return capacity
}

func (r *random) volume(name, class string) *v1.PersistentVolume {
	pv := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name, UID: r.uid(), CreationTimestamp: r.instant()}}
	pv.Spec.Capacity = v1.ResourceList{v1.ResourceStorage: quantity(pick(r, "5Gi", "9Gi", "10Gi", "15Gi", "20Gi"))}
	pv.Spec.AccessModes = pick(r, []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}, []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce, v1.ReadWriteMany}, []v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod})
	pv.Spec.StorageClassName = class
	pv.Spec.PersistentVolumeReclaimPolicy = v1.PersistentVolumeReclaimRetain
	if r.chance(0.08) {
		pv.Spec.VolumeMode = ptr(v1.PersistentVolumeBlock)
	}
	switch pick(r, 0, 0, 0, 0, 1, 2, 3) {
	case 0:
		pv.Spec.CSI = &v1.CSIPersistentVolumeSource{Driver: pick(r, driver, driver, otherDriver), VolumeHandle: pick(r, name, name, "shared")}
	case 1:
		pv.Spec.AWSElasticBlockStore = &v1.AWSElasticBlockStoreVolumeSource{VolumeID: "aws://us-east-1a/" + name}
	case 2:
		pv.Spec.GCEPersistentDisk = &v1.GCEPersistentDiskVolumeSource{PDName: name}
	case 3:
		pv.Spec.NFS = &v1.NFSVolumeSource{Server: "nfs.example", Path: "/" + name}
	}
	if r.chance(0.3) {
		pv.Labels = map[string]string{zone: pick(r, "zone-a", "zone-b", "zone-a__zone-b", "zone-x")}
		if r.chance(0.3) {
			pv.Labels[region] = pick(r, "r1", "r2")
		}
		if r.chance(0.2) {
			pv.Labels = map[string]string{v1.LabelFailureDomainBetaZone: pick(r, "zone-a", "zone-b")}
		}
		pv.Labels["grade"] = pick(r, "gold", "lead")
	}
	if r.chance(0.6) {
		required := &v1.NodeSelector{}
		for range r.between(1, 2) {
			required.NodeSelectorTerms = append(required.NodeSelectorTerms, r.nodeSelectorTerm(false))
		}
		for i := range required.NodeSelectorTerms {
			if len(required.NodeSelectorTerms[i].MatchExpressions) == 0 {
				required.NodeSelectorTerms[i].MatchExpressions = []v1.NodeSelectorRequirement{r.nodeRequirement()}
			}
		}
		pv.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: required}
	}
	return pv
}

// claim adds a claim in one of the states a claim can be in, and its volume.
func (r *random) claim(d *disks, name, namespace string) {
	if r.chance(0.03) {
		return
	}
	class := pick(r, "fast", "late", "late", "local", "local", "zonal", "zonal", "ebs", "pd", "", "gone")
	pvc := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, UID: r.uid()}}
	pvc.Spec.AccessModes = []v1.PersistentVolumeAccessMode{pick(r, v1.ReadWriteOnce, v1.ReadWriteOnce, v1.ReadWriteOnce, v1.ReadWriteOncePod, v1.ReadWriteMany)}
	pvc.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: quantity(pick(r, "1Gi", "5Gi", "10Gi", "10Gi", "18Gi"))}
	pvc.Spec.StorageClassName = &class
	if r.chance(0.02) {
		pvc.Spec.StorageClassName = nil
	}
	if r.chance(0.05) {
		pvc.Spec.VolumeMode = ptr(v1.PersistentVolumeBlock)
	}
	pvc.Status.Phase = v1.ClaimPending
	switch {
	case r.chance(0.5):
		pv := r.volume("pv-"+name+"-"+namespace, class)
		pv.Spec.AccessModes = pvc.Spec.AccessModes
		pv.Spec.ClaimRef = &v1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: namespace, Name: name, UID: pvc.UID}
		pv.Status.Phase = v1.VolumeBound
		pvc.Spec.VolumeName = pv.Name
		pvc.Status.Phase = v1.ClaimBound
		pvc.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
		if r.chance(0.04) {
			pvc.Annotations = nil
		}
		if r.chance(0.04) {
			pvc.Status.Phase = v1.ClaimLost
		} else {
			d.pvs = append(d.pvs, pv)
		}
	case r.chance(0.2):
		pvc.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"grade": pick(r, "gold", "lead")}}
	case r.chance(0.15) && len(d.pvs) > 0:
		// A volume reserved for this claim, which the claim does not know yet.
		pv := d.pvs[r.IntN(len(d.pvs))]
		if pv.Spec.ClaimRef == nil {
			pv.Spec.ClaimRef = &v1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: namespace, Name: name}
		}
	case r.chance(0.1):
		pvc.Annotations = map[string]string{"volume.kubernetes.io/selected-node": pick(r, "node-00", "node-01")}
	}
	if r.chance(0.03) {
		at := r.instant()
		pvc.DeletionTimestamp, pvc.Finalizers = &at, []string{"kubernetes.io/pvc-protection"}
	}
	d.pvcs = append(d.pvcs, pvc)
}

// fillVolumes gives the pod claims and disks. Claims of other pods are used again now and then.
func (r *random) fillVolumes(pod *v1.Pod, d *disks) {
	for i := range r.between(1, 2) {
		source := v1.VolumeSource{}
		name := fmt.Sprintf("%s-claim%d", pod.Name, i)
		if r.chance(0.25) {
			for _, pvc := range d.pvcs {
				if pvc.Namespace == pod.Namespace {
					name = pvc.Name
				}
			}
		}
		switch pick(r, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8) {
		case 0:
			source.PersistentVolumeClaim = &v1.PersistentVolumeClaimVolumeSource{ClaimName: name, ReadOnly: r.chance(0.1)}
			known := false
			for _, pvc := range d.pvcs {
				known = known || pvc.Name == name && pvc.Namespace == pod.Namespace
			}
			if !known {
				r.claim(d, name, pod.Namespace)
			}
		case 1:
			source.GCEPersistentDisk = &v1.GCEPersistentDiskVolumeSource{PDName: pick(r, "disk-1", "disk-2"), ReadOnly: r.chance(0.5)}
		case 2:
			source.AWSElasticBlockStore = &v1.AWSElasticBlockStoreVolumeSource{VolumeID: pick(r, "vol-1", "vol-2"), ReadOnly: r.chance(0.5)}
		case 3:
			source.RBD = &v1.RBDVolumeSource{CephMonitors: some(r, 2, "m1", "m2", "m3"), RBDPool: pick(r, "rbd", ""), RBDImage: pick(r, "i1", "i2"), ReadOnly: r.chance(0.5)}
		case 4:
			source.ISCSI = &v1.ISCSIVolumeSource{TargetPortal: "10.0.0.1:3260", IQN: pick(r, "iqn.2026-01.com.example:1", "iqn.2026-01.com.example:2"), ReadOnly: r.chance(0.5)}
		case 5:
			source.CSI = &v1.CSIVolumeSource{Driver: driver}
		case 6:
			// Disks of the default kind, Shared, are beyond CSI: their pods are in error wherever volumes are counted.
			kind := pick(r, v1.AzureManagedDisk, v1.AzureManagedDisk, v1.AzureManagedDisk, v1.AzureSharedBlobDisk)
			uri := "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/" + pick(r, "azure-1", "azure-2")
			if kind == v1.AzureSharedBlobDisk {
				uri = "https://blob.example/" + pick(r, "azure-1", "azure-2")
			}
			source.AzureDisk = &v1.AzureDiskVolumeSource{DiskName: pick(r, "azure-1", "azure-2"), DataDiskURI: uri, Kind: &kind}
		case 7:
			source.EmptyDir = &v1.EmptyDirVolumeSource{}
		case 8:
			source.Ephemeral = &v1.EphemeralVolumeSource{VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{Spec: v1.PersistentVolumeClaimSpec{
				AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}, StorageClassName: ptr("late"),
				Resources: v1.VolumeResourceRequirements{Requests: v1.ResourceList{v1.ResourceStorage: quantity("1Gi")}},
			}}}
			name = fmt.Sprintf("%s-v%d", pod.Name, i)
			if r.chance(0.7) {
				r.claim(d, name, pod.Namespace)
				if last := len(d.pvcs) - 1; last >= 0 && d.pvcs[last].Name == name && r.chance(0.85) {
					d.pvcs[last].OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr(true)}}
				}
			}
		}
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: fmt.Sprintf("v%d", i), VolumeSource: source})
	}
}

// attach says of some volumes of placed pods that they are attached, and of some where no pod of theirs is.
func (r *random) attach(d *disks, nodes []*v1.Node) {
	for _, pv := range d.pvs {
		if pv.Spec.CSI == nil || !r.chance(0.25) {
			continue
		}
		d.attachments = append(d.attachments, &storage.VolumeAttachment{
			ObjectMeta: metav1.ObjectMeta{Name: "attached-" + pv.Name},
			Spec: storage.VolumeAttachmentSpec{Attacher: pv.Spec.CSI.Driver, NodeName: nodes[r.IntN(len(nodes))].Name,
				Source: storage.VolumeAttachmentSource{PersistentVolumeName: ptr(pv.Name)}},
		})
	}
}
