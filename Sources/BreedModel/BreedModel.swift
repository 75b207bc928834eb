public import Foundation

/// The bundled resources for breed recognition.
public enum BreedModel {
    /// The folder of label maps. `imagenet-1k.tsv` maps the classes of any ImageNet-1k classifier to our labels.
    public static var labelMaps: URL { resources.appending(path: "LabelMaps") }

    /// The folder of models, which contains the bundled model `dog-breeds`.
    public static var models: URL { resources }

    /// The id of the default model.
    public static let id = "dog-breeds"

    private static var resources: URL { Bundle.module.resourceURL ?? Bundle.module.bundleURL }
}
