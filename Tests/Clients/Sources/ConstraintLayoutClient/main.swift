import ConstraintLayout

let page = LayoutView(name: "superview")
let photo = LayoutView(name: "photo")
page.addSubview(photo)
let engine = LayoutEngine(root: page, size: LayoutSize(width: 320, height: 480))
engine.add(try VisualFormat.constraints("V:|-25-[photo(240)]", views: ["photo": photo], superview: page))
engine.add([try LayoutConstraint.parse("photo.width == 0.5 * superview.width", views: ["photo": photo])])
engine.layout()
print(photo.frame, engine.conflicts, engine.ambiguities)
