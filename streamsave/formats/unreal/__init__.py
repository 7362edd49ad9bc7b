"""What all Unreal saves share: property tags, structs, containers, texts."""
