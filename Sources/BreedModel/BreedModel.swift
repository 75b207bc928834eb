public import Foundation

/// What is bundled for recognising breeds.
public enum BreedModel {
    /// A folder of label maps: `imagenet-1k.tsv` tells our labels of any classifier of ImageNet's thousand classes.
    public static var labelMaps: URL { resources.appending(path: "LabelMaps") }

    /// A folder of models: the bundled one is called `dog-breeds`.
    public static var models: URL { resources }

    /// The id of the model that is asked where nobody names another.
    public static let id = "dog-breeds"

    private static var resources: URL { Bundle.module.resourceURL ?? Bundle.module.bundleURL }
}
